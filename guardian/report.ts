/** Reads the guardian's report: one JSON object a line, on a descriptor the payload never sees. */
import { isLayer, type Layer } from './layers.ts'

export type ReportLine =
  /** Everything listed holds; the payload is started next. */
  | {
      readonly event: 'confined'
      readonly abi: number
      readonly layers: readonly Layer[]
      readonly notCovered: readonly string[]
    }
  /** A required step failed; nothing was started. */
  | { readonly event: 'refused'; readonly step: string; readonly errno: number; readonly reason: string }
  /** Everything held, but the program could not be executed. */
  | { readonly event: 'not_executed'; readonly errno: number; readonly reason: string }
  /** The payload ended, by itself or by a signal. */
  | { readonly event: 'ended'; readonly exit: number | null; readonly signal: number | null }
  /** The tree was ended on request, or because the reader of the report went away. */
  | { readonly event: 'stopped' }

export interface ReportReader {
  /** Take in a chunk; what is not yet a whole line waits for the rest. */
  push(chunk: Buffer): void
  readonly lines: readonly ReportLine[]
  find<E extends ReportLine['event']>(event: E): Extract<ReportLine, { event: E }> | null
}

/** A report is a few lines; more than this is not one. */
const reportLimit = 65_536

/**
 * Contract: lines that are not of the report's form are ignored, never guessed at; a caller that
 * does not find `confined` must treat the command as not confined.
 */
export function createReportReader(): ReportReader {
  const lines: ReportLine[] = []
  let pending = ''
  let taken = 0
  return {
    lines,
    push(chunk) {
      taken += chunk.length
      if (taken > reportLimit) return
      const parts = (pending + chunk.toString('utf8')).split('\n')
      pending = parts.pop() ?? ''
      for (const part of parts) {
        const line = readLine(part)
        if (line !== null) lines.push(line)
      }
    },
    find<E extends ReportLine['event']>(event: E) {
      return lines.find((line): line is Extract<ReportLine, { event: E }> => line.event === event) ?? null
    },
  }
}

function readLine(text: string): ReportLine | null {
  const fields = parseObject(text)
  switch (fields?.['event']) {
    case 'confined':
      return {
        event: 'confined',
        abi: Number(fields['abi']),
        layers: list(fields['layers']).filter(isLayer),
        notCovered: list(fields['notCovered']),
      }
    case 'refused':
      return { event: 'refused', step: String(fields['step']), errno: Number(fields['errno']), reason: String(fields['reason']) }
    case 'not_executed':
      return { event: 'not_executed', errno: Number(fields['errno']), reason: String(fields['reason']) }
    case 'ended':
      return { event: 'ended', exit: numberOrNull(fields['exit']), signal: numberOrNull(fields['signal']) }
    case 'stopped':
      return { event: 'stopped' }
    default:
      return null
  }
}

/** The object a line holds, or null: the guardian may have been ended in the middle of one. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

export function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
