/** The diagnostics bundle: what somebody may hand on to have a server looked at, and its exact bytes. */
import { z } from 'zod'

/** Names the shape below; another shape gets another number. */
export const diagnosticsFormat = 'bridlewise-diagnostics/1'

/**
 * Every section there is, in the order of the file. None has a place for what a person or a model wrote.
 *
 * Texts are free of names, paths and secrets: `<home>`, `<user 1>` and their like stand for them.
 */
const sectionSchemas = {
  product: z.strictObject({
    version: z.string(),
    node: z.string(),
    platform: z.string(),
    arch: z.string(),
    kernel: z.string(),
    cpus: z.number().int(),
    memoryBytes: z.number().int(),
  }),
  configuration: z.strictObject({
    /** `value` is null where the value itself would tell of the machine. */
    variables: z.array(z.strictObject({ name: z.string(), state: z.string(), value: z.string().nullable() })),
    /** Names of the variables that are set and change how the runtime runs. */
    meddling: z.array(z.string()),
  }),
  /** The lines of the posture, or of the doctor where no server was asked. */
  findings: z.array(
    z.strictObject({
      id: z.string(),
      area: z.string(),
      title: z.string(),
      state: z.string(),
      evidence: z.string(),
      remedy: z.string().nullable(),
    }),
  ),
  limits: z.array(z.strictObject({ id: z.string(), value: z.number(), unit: z.string() })),
  storage: z.strictObject({
    bytes: z.number().int(),
    /** The newest migration that the database has seen; null when this version does not know it. */
    schema: z.string().nullable(),
    /** Null when the database is too large to be counted beside a server. */
    tables: z.array(z.strictObject({ name: z.string(), rows: z.number().int(), bytes: z.number().int() })).nullable(),
  }),
  /** Of the newest thousand rows of security events: how many of a kind, and the minute of the last. */
  events: z.array(z.strictObject({ kind: z.string(), rows: z.number().int(), last: z.number().int() })),
  /** Since the start, newest first. What went wrong by name and place, never in its own words. */
  faults: z.array(
    z.strictObject({
      id: z.string(),
      at: z.number().int(),
      causes: z.array(z.strictObject({ name: z.string(), code: z.string().nullable(), place: z.string().nullable() })),
    }),
  ),
  health: z.strictObject({
    uptimeMs: z.number().int(),
    rssBytes: z.number().int(),
    heapUsedBytes: z.number().int(),
    /** How late the event loop ran, watched for `watchedMs`. */
    loopDelayMs: z.strictObject({ watchedMs: z.number(), mean: z.number(), max: z.number() }),
    /** The share of the time since the start that the event loop was busy. */
    loopUse: z.number(),
  }),
} as const

export type DiagnosticsSection = keyof typeof sectionSchemas
export const diagnosticsSections = Object.keys(sectionSchemas) as readonly DiagnosticsSection[]

export const diagnosticsSchema = z.strictObject({
  format: z.literal(diagnosticsFormat),
  madeAt: z.number().int(),
  /** A running server, or the command line beside the data home; what only the one knows the other leaves out. */
  madeBy: z.enum(['server', 'command line']),
  leftOut: z.array(z.enum(diagnosticsSections)),
  sections: z.strictObject(sectionSchemas).partial(),
})
export type Diagnostics = z.infer<typeof diagnosticsSchema>

/** A stretch of the file: one section, or what stands before and after them (`section` is null). */
export interface DiagnosticsPart {
  readonly section: DiagnosticsSection | null
  readonly text: string
}

/**
 * The file in parts, for whoever looks at it section by section.
 *
 * Contract: joined they are the bytes that are saved: a JSON document of `diagnosticsSchema`, indented
 * by two spaces, that ends with a newline and names what was left out.
 */
export function writeDiagnostics(bundle: Diagnostics, leftOut: ReadonlySet<DiagnosticsSection>): readonly DiagnosticsPart[] {
  const present = diagnosticsSections.filter((section) => bundle.sections[section] !== undefined)
  const kept = present.filter((section) => !leftOut.has(section))
  const { format, madeAt, madeBy } = bundle
  const head = spell({ format, madeAt, madeBy, leftOut: present.filter((section) => leftOut.has(section)) })
  // Without a section the braces meet, as JSON.stringify writes them.
  const [open, close] = kept.length === 0 ? ['{', '}'] : ['{\n', '  }']
  return [
    { section: null, text: `${head.slice(0, -2)},\n  "sections": ${open}` },
    ...kept.map((section, at) => {
      const end = at === kept.length - 1 ? '\n' : ',\n'
      return { section, text: `    "${section}": ${spell(bundle.sections[section]).replaceAll('\n', '\n    ')}${end}` }
    }),
    { section: null, text: `${close}\n}\n` },
  ]
}

function spell(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
