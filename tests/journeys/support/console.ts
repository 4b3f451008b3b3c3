/** What the browser complained about: script errors, refused content, failed requests to the server. */
import type { Page } from '@playwright/test'

/** Collects from now on. A server that was killed on purpose may be missed; anything else may not. */
export function watchConsole(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    const text = message.text()
    if (/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/.test(text)) return
    complaints.push(`console: ${text} (${message.location().url})`)
  })
  return complaints
}
