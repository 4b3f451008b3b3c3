/** What a tool result shows: the one union that executor, ledger and renderer share. */
import { z } from 'zod'

/** One line of a structured diff; `old` and `new` are 1-based line numbers. */
export const diffLineSchema = z.object({
  kind: z.enum(['same', 'added', 'removed']),
  text: z.string(),
  old: z.number().int().nullable(),
  new: z.number().int().nullable(),
})
export type DiffLine = z.infer<typeof diffLineSchema>

export const fileDiffSchema = z.object({
  path: z.string(),
  change: z.enum(['created', 'modified', 'deleted']),
  added: z.number().int(),
  removed: z.number().int(),
  hunks: z.array(z.object({ header: z.string(), lines: z.array(diffLineSchema) })),
  /** Said when the diff was cut: what is left out. */
  cut: z.string().nullable(),
})
export type FileDiff = z.infer<typeof fileDiffSchema>

/** Which layers held for one process, as the guardian reported them, and what it did not cover. */
export const receiptSchema = z.object({
  guardian: z.string(),
  /** Landlock ABI of the kernel; 0 when there is none. */
  abi: z.number().int(),
  layers: z.array(z.string()),
  notCovered: z.array(z.string()),
  access: z.enum(['write', 'read']),
  network: z.enum(['off', 'open', 'partly']),
  /** SHA-256 over the policy that was asked for. */
  policy: z.string(),
})
export type Receipt = z.infer<typeof receiptSchema>

/** A part of the tree that was not looked at, and why. */
export const skippedSchema = z.object({
  reason: z.enum(['ignored', 'hidden', 'binary', 'oversized', 'link', 'unreadable', 'limit', 'withheld']),
  count: z.number().int(),
})
export type Skipped = z.infer<typeof skippedSchema>

export const detailsSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('file'),
    path: z.string(),
    text: z.string(),
    from: z.number().int(),
    to: z.number().int(),
    total: z.number().int(),
    digest: z.string(),
  }),
  z.object({
    kind: z.literal('listing'),
    path: z.string(),
    entries: z.array(
      z.object({ path: z.string(), type: z.enum(['file', 'directory', 'link', 'other']), bytes: z.number().nullable() }),
    ),
    skipped: z.array(skippedSchema),
  }),
  z.object({
    kind: z.literal('matches'),
    pattern: z.string(),
    files: z.number().int(),
    matches: z.array(z.object({ path: z.string(), line: z.number().int(), text: z.string() })),
    skipped: z.array(skippedSchema),
  }),
  z.object({ kind: z.literal('diff'), files: z.array(fileDiffSchema) }),
  z.object({
    kind: z.literal('terminal'),
    command: z.string(),
    cwd: z.string(),
    output: z.string(),
    /** Bytes the process wrote, kept or not. */
    bytes: z.number().int(),
    cut: z.string().nullable(),
    exitCode: z.number().int().nullable(),
    signal: z.string().nullable(),
    receipt: receiptSchema.nullable(),
  }),
  z.object({ kind: z.literal('blocker'), code: z.string(), message: z.string() }),
  z.object({
    kind: z.literal('status'),
    branch: z.string().nullable(),
    entries: z.array(z.object({ path: z.string(), state: z.string() })),
    clean: z.boolean(),
  }),
])
export type Details = z.infer<typeof detailsSchema>
export type DetailsKind = Details['kind']
