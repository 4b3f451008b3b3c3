/** What a run sent, as lines to hand on: no text of it, only what it was made of. */
import { canonicalise, createRedactor, type OwnRule } from '@bridlewise/engine'
import type { EgressPart } from '@bridlewise/shared/wire'
import type { KeptDeparture } from '../storage/index.ts'

export const exportFormat = 'bridlewise-egress/1'

export interface ExportPlace {
  readonly runId: string
  readonly secrets: readonly string[]
  readonly rules: readonly OwnRule[]
  readonly salt: string
}

/**
 * Write the requests of a run as canonical JSON, one a line, under a line that names the format.
 *
 * Contract: `secrets`, what `rules` name and what looks like a secret stand in none of it, wherever a path or an address
 * held one; digests are as they were.
 */
export function writeExport(requests: readonly KeptDeparture[], { runId, secrets, rules, salt }: ExportPlace): string {
  const redactor = createRedactor({ salt, literals: secrets, rules })
  const clean = (text: string) => redactor.redact(text).text
  const cleanPart = ({ files, tool, ...part }: EgressPart): EgressPart => ({
    ...part,
    tool: tool === null ? null : clean(tool),
    files: files.map(({ path, ...file }) => ({ ...file, path: clean(path) })),
  })
  const lines = requests.map(({ held, egress, parts: _, ...request }) => ({
    ...request,
    egress: { ...egress, endpoint: clean(egress.endpoint), modelId: clean(egress.modelId) },
    parts: held.map(({ name: __, ...part }) => cleanPart(part)),
  }))
  return [{ format: exportFormat, runId, requests: lines.length }, ...lines].map((line) => `${canonicalise(line)}\n`).join('')
}
