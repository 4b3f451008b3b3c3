/** Words that appear beside an element on hover and on keyboard focus. One surface serves the whole page. */
import { mount } from 'svelte'
import type { Attachment } from 'svelte/attachments'
import TooltipSurface, { type TooltipContent } from './TooltipSurface.svelte'

const shown = $state<{ content: TooltipContent | null }>({ content: null })
const delayMs = 350

let mounted = false
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Attach words to an element: `<button {@attach tooltip('Copy')}>`; null attaches nothing.
 *
 * It is for sighted readers: what must be read aloud is the element's label or description.
 */
export function tooltip(text: string | null | undefined, keys?: string): Attachment<HTMLElement> {
  return (anchor) => {
    if (!text) return
    const content = { anchor, text, keys }
    const showAfter = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => show(content), ms)
    }
    const atHover = () => showAfter(delayMs)
    // Not at once: the focus may come back while the browser closes another surface, and then none may open.
    const atKeyboardFocus = () => {
      if (anchor.matches(':focus-visible')) showAfter(0)
    }
    const leave = () => hide(anchor)
    anchor.addEventListener('pointerenter', atHover)
    anchor.addEventListener('pointerleave', leave)
    anchor.addEventListener('pointerdown', leave)
    anchor.addEventListener('focus', atKeyboardFocus)
    anchor.addEventListener('blur', leave)
    return () => {
      hide(anchor)
      anchor.removeEventListener('pointerenter', atHover)
      anchor.removeEventListener('pointerleave', leave)
      anchor.removeEventListener('pointerdown', leave)
      anchor.removeEventListener('focus', atKeyboardFocus)
      anchor.removeEventListener('blur', leave)
    }
  }
}

function show(content: TooltipContent) {
  if (!mounted) mount(TooltipSurface, { target: document.body, props: { shown } })
  mounted = true
  shown.content = content
}

/** The change waits for the end of the task: an element that is removed loses the focus while the page is being drawn. */
function hide(anchor: HTMLElement) {
  clearTimeout(timer)
  queueMicrotask(() => {
    if (shown.content?.anchor === anchor) shown.content = null
  })
}
