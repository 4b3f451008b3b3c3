/** What was spent as a table for a spreadsheet. */
import type { ChargeLine, Owner, Store } from '../storage/index.ts'
import { nanosPerDollar } from './amounts.ts'

type ExportStore = Pick<Store, 'charges' | 'chats' | 'projects'>

export const exportLimits = { lines: 5_000 } as const

const titles = [
  'day',
  'chat',
  'project',
  'model',
  'usd',
  'calls of unknown price',
  'model calls',
  'tokens in',
  'of them cached',
  'tokens out',
  'calls with guessed tokens',
  'ms',
]

/** Contract: an unknown price leaves its field empty where nothing else was spent, and is counted beside it otherwise. */
export function exportSpend(store: ExportStore, owner: Owner): { readonly csv: string; readonly said: string } {
  const found = store.charges.lines(owner, { limit: exportLimits.lines + 1 })
  const lines = found.slice(0, exportLimits.lines)
  const projects = new Map(store.projects.list(owner).map(({ id, name }) => [id, name]))
  const chats = new Map<string, string>()
  const chatOf = (id: string) => {
    const title = chats.get(id) ?? store.chats.get(owner, id)?.title ?? 'a chat that is gone'
    chats.set(id, title)
    return title
  }
  const projectOf = (id: string | null) => (id === null ? '' : (projects.get(id) ?? 'a project that is gone'))
  const rows = lines.map((line) => [
    line.day,
    writeCell(chatOf(line.chatId)),
    writeCell(projectOf(line.projectId)),
    writeCell(line.modelId),
    ...figuresOf(line),
  ])
  const count = lines.length.toLocaleString('en-US')
  return {
    csv: [titles, ...rows].map((row) => `${row.join(',')}\r\n`).join(''),
    said: `${count} ${lines.length === 1 ? 'line' : 'lines'}, ${found.length > lines.length ? 'the newest; older ones are left out' : 'all there is'}.`,
  }
}

/**
 * A text as one cell.
 *
 * Contract: what a spreadsheet would reckon as a formula begins with an apostrophe instead, for a chat or a
 * model can be called anything.
 */
export function writeCell(text: string): string {
  const harmless = /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

function figuresOf({ nanos, unpriced, calls, ...rest }: ChargeLine): (string | number)[] {
  const usd = unpriced === calls ? '' : (nanos / nanosPerDollar).toFixed(9)
  return [usd, unpriced, calls, rest.inputTokens, rest.cachedTokens, rest.outputTokens, rest.estimated, rest.ms]
}
