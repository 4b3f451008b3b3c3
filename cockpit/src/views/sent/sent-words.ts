/** How what was sent reads: names of parts, lines of files, requests under their runs. */
import type { Departure, EgressPart, EgressPartKind, FileLines } from '@bridlewise/shared/wire'
import { countOf, formatBytes } from '../../parts/format.ts'

export const partNames: Readonly<Record<EgressPartKind, string>> = {
  instructions: 'system message',
  user: 'your words',
  model: "model's words",
  call: 'call',
  result: 'result',
  tools: 'tool descriptions',
  vendor: 'vendor fields',
  framing: 'framing',
}

/** What is behind a name that does not say it by itself. */
export const partHints: Partial<Readonly<Record<EgressPartKind, string>>> = {
  instructions: 'how the product introduces itself, with the instruction files',
  tools: 'names, descriptions and arguments of all tools',
  vendor: 'what came with an answer and goes back with it, such as reasoning',
  framing: 'field names, punctuation, settings',
}

/** Nothing is said of a request for an answer to the person, as most are. */
export const purposeNames: Readonly<Record<Departure['purpose'], string | null>> = {
  answer: null,
  summary: 'summary',
  title: 'title',
  probe: 'probe',
}

/** `src/a.ts 1–40, 52`. Lines that are not known are not told. */
export function describeFile({ path, lines }: FileLines): string {
  const stretches = lines.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`))
  return stretches.length === 0 ? path : `${path} ${stretches.join(', ')}`
}

/** One line of what a request was made of; descriptions of tools, of which there are many, are one. */
export interface PartLine {
  readonly kind: EgressPartKind
  readonly texts: number
  readonly bytes: number
  readonly tool: string | null
  readonly files: readonly FileLines[]
  readonly digest: string | null
  readonly redactions: Readonly<Record<string, number>>
}

export function linesOf(parts: readonly EgressPart[]): readonly PartLine[] {
  const tools = parts.filter(({ kind }) => kind === 'tools')
  const others = parts.filter(({ kind }) => kind !== 'tools').map(lineOf)
  if (tools.length === 0) return others
  const line: PartLine = {
    kind: 'tools',
    texts: tools.length,
    bytes: tools.reduce((sum, part) => sum + part.bytes, 0),
    tool: null,
    files: [],
    digest: null,
    redactions: sumCounts(tools.map(({ redactions }) => redactions ?? {})),
  }
  const framing = others.findIndex(({ kind }) => kind === 'framing')
  return others.toSpliced(framing < 0 ? others.length : framing, 0, line)
}

function lineOf({ kind, bytes, tool, files, digest, redactions = {} }: EgressPart): PartLine {
  return { kind, texts: 1, bytes, tool, files, digest, redactions }
}

/** The requests of one run that follow each other in a list. */
export interface RunGroup {
  /** Both null for probes of a model. */
  readonly runId: string | null
  readonly chatId: string | null
  readonly requests: readonly Departure[]
}

export function groupByRun(requests: readonly Departure[]): readonly RunGroup[] {
  const groups: { runId: string | null; chatId: string | null; requests: Departure[] }[] = []
  for (const request of requests) {
    const last = groups.at(-1)
    if (last && last.runId === request.runId) last.requests.push(request)
    else groups.push({ runId: request.runId, chatId: request.chatId, requests: [request] })
  }
  return groups
}

/** `3 requests, 41.2 kB`. */
export function describeSum(requests: readonly Departure[]): string {
  const bytes = requests.reduce((sum, { egress }) => sum + egress.bytes, 0)
  return `${countOf(requests.length, 'request')}, ${formatBytes(bytes)}`
}

export function sumCounts(counts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {}
  for (const one of counts) for (const [kind, count] of Object.entries(one)) sum[kind] = (sum[kind] ?? 0) + count
  return sum
}
