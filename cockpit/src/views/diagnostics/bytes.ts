/** The bytes of a text: their number and their digest. */

export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length
}

/** SHA-256 in hex, as `sha256sum` prints it for the saved file. */
export async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
