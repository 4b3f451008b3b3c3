/** Everything the palette offers: things to do, places to go, chats to open, models to use. */
import Cpu from '@lucide/svelte/icons/cpu'
import Keyboard from '@lucide/svelte/icons/keyboard'
import LogOut from '@lucide/svelte/icons/log-out'
import MessageSquare from '@lucide/svelte/icons/message-square'
import PenLine from '@lucide/svelte/icons/pen-line'
import Square from '@lucide/svelte/icons/square'
import SunMoon from '@lucide/svelte/icons/sun-moon'
import type { Command } from '../../parts/index.ts'
import { spellLine } from '../../render/index.ts'
import type { Cockpit, Theme } from '../../state/index.ts'
import { navigate } from '../context.ts'
import { places, placesOfBlocks } from './places.ts'

export function listCommands(cockpit: Cockpit): Command[] {
  return [...doings(cockpit), ...goings(cockpit), ...chatsOf(cockpit), ...modelsOf(cockpit)]
}

function doings({ desk, conversation, session }: Cockpit): Command[] {
  const group = 'Do'
  const themes: readonly [Theme, string][] = [
    ['light', 'Use the light theme'],
    ['dark', 'Use the dark theme'],
    ['system', 'Follow the system theme'],
  ]
  const stop: Command = {
    id: 'stop',
    label: 'Stop the run',
    group,
    icon: Square,
    run: () => {
      desk.stopAsked = true
    },
  }
  return [
    { id: 'new', label: 'New chat', group, icon: PenLine, keys: 'n', run: () => navigate({ place: 'new', projectId: null }) },
    ...(conversation.active ? [stop] : []),
    ...themes.map(
      ([theme, label]): Command => ({
        id: `theme-${theme}`,
        label,
        group,
        icon: SunMoon,
        checked: desk.theme === theme,
        run: () => desk.setTheme(theme),
      }),
    ),
    {
      id: 'keys',
      label: 'Show the keys',
      group,
      icon: Keyboard,
      keys: '?',
      run: () => {
        desk.keysOpen = true
      },
    },
    { id: 'sign-out', label: 'Sign out', group, icon: LogOut, run: () => void session.signOut() },
  ]
}

function goings({ surfaces }: Cockpit): Command[] {
  return [...places, ...placesOfBlocks(surfaces.blocks)].map((place) => ({
    id: `place-${place.id}`,
    label: place.title,
    group: 'Go to',
    icon: place.icon,
    keys: place.letter === null ? undefined : `g ${place.letter}`,
    run: () => navigate(place.route),
  }))
}

function chatsOf({ chats, projects }: Cockpit): Command[] {
  return chats.list.map((chat) => ({
    id: chat.id,
    label: spellLine(chat.title),
    detail: spellLine(projects.find(chat.projectId)?.name ?? ''),
    group: 'Chats',
    icon: MessageSquare,
    run: () => navigate({ place: 'chat', chatId: chat.id }),
  }))
}

function modelsOf(cockpit: Cockpit): Command[] {
  return cockpit.providers.models.map((model) => ({
    id: `model-${model.providerId}-${model.modelId}`,
    label: `Use ${spellLine(model.modelId)}`,
    detail: spellLine(model.providerName),
    group: 'Models',
    icon: Cpu,
    checked: cockpit.model?.providerId === model.providerId && cockpit.model.modelId === model.modelId,
    run: () => void cockpit.pickModel({ providerId: model.providerId, modelId: model.modelId }),
  }))
}
