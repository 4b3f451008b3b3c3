/** The bytes of a text: their number, their digest, and as a file of the browser. */

export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length
}

/** SHA-256 in hex, as `sha256sum` prints it for the saved file. */
export async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Hand a text to the browser to save. Nothing goes to the server. */
export function saveAs(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken hold of it once the press is over.
  setTimeout(() => URL.revokeObjectURL(address))
}
