/** A text as a file of the browser. */

/** Hand a text to the browser to save. Nothing goes to the server. */
export function saveAs(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken hold of it once the press is over.
  setTimeout(() => URL.revokeObjectURL(address))
}
