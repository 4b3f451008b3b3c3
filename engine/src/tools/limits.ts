/** What calls of tools may take and give, gathered from where each is enforced, for whoever shows them. */
import { maxBytes as argumentBytes, maxDepth as argumentDepth } from './arguments.ts'
import { delegationLimits } from './builtin/delegate.ts'
import { defaultSeconds, maxSeconds, outputLimit } from './builtin/execute-command.ts'
import { maxLines as readLines } from './builtin/read-file.ts'
import { maxFileBytes as searchedFileBytes } from './builtin/search-text.ts'
import { defaultDeadlineMs, textLimit } from './executor.ts'
import { deadlineMs as patternMs } from './line-matcher.ts'

export const toolLimits = {
  argumentBytes,
  argumentDepth,
  toolMs: defaultDeadlineMs,
  /** Of one result, in the model's context; the whole is kept beside it. */
  resultBytes: textLimit.bytes,
  commandMs: defaultSeconds * 1000,
  commandMostMs: maxSeconds * 1000,
  commandOutputBytes: outputLimit,
  patternMs,
  taskLength: delegationLimits.task,
  taskMs: delegationLimits.minutes * 60_000,
  taskRequests: delegationLimits.requests,
  searchedFileBytes,
  readLines,
} as const
