/** Small components that hold no state of the product. */
export { default as Badge } from './Badge.svelte'
export { default as Button } from './Button.svelte'
export { default as Checkbox } from './Checkbox.svelte'
export { type Command, default as CommandPalette } from './CommandPalette.svelte'
export { default as ConfirmDialog } from './ConfirmDialog.svelte'
export { default as CopyButton } from './CopyButton.svelte'
export { default as Dialog } from './Dialog.svelte'
export { default as Elapsed } from './Elapsed.svelte'
export { default as EmptyState } from './EmptyState.svelte'
export type { FilterEntry } from './FilterList.svelte'
export { focusAtStart } from './focus.ts'
export {
  countOf,
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatExact,
  formatMoment,
  formatMoney,
} from './format.ts'
export { default as IconButton } from './IconButton.svelte'
export { default as Kbd } from './Kbd.svelte'
export { isShortcut } from './keys.ts'
export { default as Logo } from './Logo.svelte'
export { default as Menu, type MenuItem } from './Menu.svelte'
export { default as Panel } from './Panel.svelte'
export { default as Picker } from './Picker.svelte'
export { default as Popover } from './Popover.svelte'
export { default as RefusalNote } from './RefusalNote.svelte'
export { default as RelativeTime } from './RelativeTime.svelte'
export { default as Remaining } from './Remaining.svelte'
export { default as SegmentedControl } from './SegmentedControl.svelte'
export { default as Select } from './Select.svelte'
export { default as SplitPane } from './SplitPane.svelte'
export { default as StateMark } from './StateMark.svelte'
export { saveAs } from './save-as.ts'
export { default as Tabs } from './Tabs.svelte'
export { default as TextArea } from './TextArea.svelte'
export { default as TextField } from './TextField.svelte'
export type { Tone } from './tone.ts'
export { tooltip } from './tooltip.svelte.ts'
