/** Attachments that move the keyboard focus. */
import type { Attachment } from 'svelte/attachments'

/** Focus an element when it appears, if `wanted`. The `autofocus` attribute only works at page load. */
export function focusAtStart(wanted: boolean): Attachment<HTMLElement> {
  return (element) => {
    if (wanted) element.focus()
  }
}
