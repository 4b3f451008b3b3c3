/** The icon of each mark. */
import type { LucideIcon } from '@lucide/svelte'
import Check from '@lucide/svelte/icons/check'
import CircleHelp from '@lucide/svelte/icons/circle-question-mark'
import Dot from '@lucide/svelte/icons/dot'
import Eye from '@lucide/svelte/icons/eye'
import Hourglass from '@lucide/svelte/icons/hourglass'
import Info from '@lucide/svelte/icons/info'
import Minus from '@lucide/svelte/icons/minus'
import OctagonX from '@lucide/svelte/icons/octagon-x'
import Pencil from '@lucide/svelte/icons/pencil'
import Play from '@lucide/svelte/icons/play'
import TriangleAlert from '@lucide/svelte/icons/triangle-alert'
import X from '@lucide/svelte/icons/x'
import Zap from '@lucide/svelte/icons/zap'
import type { Mark } from './tone.ts'

export const markIcons: Readonly<Record<Mark, LucideIcon>> = {
  dot: Dot,
  run: Play,
  check: Check,
  wait: Hourglass,
  stop: OctagonX,
  cross: X,
  warn: TriangleAlert,
  ask: CircleHelp,
  eye: Eye,
  pencil: Pencil,
  bolt: Zap,
  info: Info,
  minus: Minus,
}
