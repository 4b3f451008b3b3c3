/** What can be done with a chat, wherever its name stands. */
import type { Chat } from '@bridlewise/shared'
import Download from '@lucide/svelte/icons/download'
import Pencil from '@lucide/svelte/icons/pencil'
import Trash from '@lucide/svelte/icons/trash'
import type { MenuItem } from '../../parts/index.ts'
import type { DeskState } from '../../state/index.ts'

export function chatMenu(desk: DeskState, chat: Chat): MenuItem[] {
  return [
    { id: 'rename', label: 'Rename', icon: Pencil, onselect: () => desk.ask({ act: 'rename', chat }) },
    { id: 'save', label: 'Save as text', icon: Download, onselect: () => desk.ask({ act: 'save', chat }) },
    {
      id: 'remove',
      label: 'Delete',
      icon: Trash,
      tone: 'danger',
      apart: true,
      reason: chat.activeRunId ? 'A run of this chat is active. Stop it first.' : null,
      onselect: () => desk.ask({ act: 'remove', chat }),
    },
  ]
}
