/**
 * Every limit in one table, for the posture, its screen and the reference page.
 *
 * No number stands here: each is read from the room that enforces it, and `where` names that file.
 */
import { childLimits, ownRuleLimits, readLimit, redactionLimits, toolLimits, turnLimits } from '@bridlewise/engine'
import { account, type LimitLine, type RateClass, run } from '@bridlewise/shared'
import { mostPerPage } from '@bridlewise/shared/wire'
import { accountLimits } from './accounts/index.ts'
import { auditLimits } from './audit/index.ts'
import { defaultLimits, type Limits, mostHeaders, swallowBytes } from './boundary/index.ts'
import { exportLimits } from './budget/index.ts'
import { commandLimits } from './confinement/index.ts'
import { redactionsPerOwner } from './egress/index.ts'
import type { ModelLimits } from './llm/bridge.ts'
import { usualLimits as usualModelLimits } from './llm/bridge.ts'
import { authorityLimits } from './network/index.ts'
import { usualRetention } from './retention/index.ts'
import { type RunLimits, titleLimits, usualRunLimits } from './runs/index.ts'
import { storageLimits } from './storage/index.ts'
import { watchLimits } from './watch/index.ts'

/** Those that a test or the command line may set. */
interface LimitsInForce {
  readonly boundary: Limits
  readonly runs: RunLimits
  readonly model: ModelLimits
}

export const usualLimits: LimitsInForce = { boundary: defaultLimits, runs: usualRunLimits, model: usualModelLimits }

export function listLimits(given: LimitsInForce): readonly LimitLine[] {
  return [
    ...requestLimits(given.boundary),
    ...rateLimits(given.boundary),
    ...streamLimits(given.boundary),
    ...accountLines(),
    ...runLimits(given.runs),
    ...taskLines(),
    ...modelLimits(given.model),
    ...networkLines(),
    ...redactionLines(),
    ...toolLines(),
    ...storageLines(),
    ...auditLines(),
    ...watchLines(),
  ]
}

/** Id, title, value and unit of a line; its area and file are those of the list. */
type Row = readonly [id: string, title: string, value: number, unit: LimitLine['unit']]

function lines(area: LimitLine['area'], where: string, rows: readonly Row[]): LimitLine[] {
  return rows.map(([id, title, value, unit]) => ({ id, area, title, value, unit, text: spell(value, unit), where }))
}

/** Contract: exact; a larger unit only where it leaves no rest. */
function spell(value: number, unit: LimitLine['unit']): string {
  const exact = value.toLocaleString('en-US')
  const fitting = largerUnits[unit].find(([size, , least = size]) => value >= least && value % size === 0)
  if (fitting) return `${value / fitting[0]} ${fitting[1]}`
  return { count: exact, bytes: `${exact} bytes`, characters: `${exact} characters`, milliseconds: `${exact} ms` }[unit]
}

const dayMs = 24 * 60 * 60 * 1000
const largerUnits: Readonly<Record<LimitLine['unit'], readonly (readonly [size: number, name: string, least?: number])[]>> = {
  count: [],
  characters: [],
  bytes: [
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
  ],
  milliseconds: [
    [dayMs, 'days', 2 * dayMs],
    [60 * 60 * 1000, 'h'],
    [60 * 1000, 'min'],
    [1000, 's'],
  ],
}

function requestLimits(limits: Limits): LimitLine[] {
  return [
    ...lines('requests', 'server/boundary/limits.ts', [
      ['connections', 'Connections open at once', limits.connections, 'count'],
      ['header-bytes', 'Size of all headers', limits.headerBytes, 'bytes'],
      ['headers-time', 'Until all headers must be in', limits.headersMs, 'milliseconds'],
      ['request-time', 'Until the whole request must be in', limits.requestMs, 'milliseconds'],
      ['idle-time', 'An idle connection stays open', limits.idleMs, 'milliseconds'],
      ['json-depth', 'Nesting of a body', limits.jsonDepth, 'count'],
      ['log-lines', 'Lines of one level written to stderr in a minute', limits.logLinesPerMinute, 'count'],
      ['swallowed', 'Of a refused body, read before the connection is closed', swallowBytes, 'bytes'],
    ]),
    ...lines('requests', 'server/boundary/form.ts', [['header-count', 'Headers of a request', mostHeaders, 'count']]),
    ...lines('requests', 'shared/define/operation.ts', [
      ['body', 'Body of a call, unless its operation says otherwise', account.operations.login.bodyLimit, 'bytes'],
    ]),
    ...lines('requests', 'shared/blocks/run.ts', [
      ['run-body', 'Body of a call that starts a run', run.operations.start.bodyLimit, 'bytes'],
      ['prompt', 'Prompt', run.operations.start.input.shape.prompt.maxLength ?? 0, 'characters'],
    ]),
    ...lines('requests', 'server/budget/export.ts', [['spend-lines', 'Lines of a table of spend', exportLimits.lines, 'count']]),
    ...lines('requests', 'shared/wire/pages.ts', [['page', 'Entries of a page', mostPerPage, 'count']]),
  ]
}

const rateTitles: Readonly<Record<RateClass, string>> = {
  light: 'Reads',
  normal: 'Changes',
  costly: 'Calls that cost money or run code',
  secret: 'Calls that check a password or a code',
}

function rateLimits({ rates }: Limits): LimitLine[] {
  const rows = Object.entries(rateTitles).flatMap(([name, title]): Row[] => {
    const { burst, everyMs } = rates[name as RateClass]
    return [
      [`${name}-burst`, `${title}: at once`, burst, 'count'],
      [`${name}-interval`, `${title}: one more every`, everyMs, 'milliseconds'],
    ]
  })
  return lines('rates', 'server/boundary/limits.ts', rows)
}

function streamLimits(limits: Limits): LimitLine[] {
  return lines('streams', 'server/boundary/limits.ts', [
    ['streams', 'Streams of a user', limits.streamsPerUser, 'count'],
    ['streams-thing', 'Streams of one thing, such as a run', limits.streamsPerThing, 'count'],
    ['streams-all', 'Streams of everybody together', limits.streamsInAll, 'count'],
    ['stream-backlog', 'Waiting for a slow reader', limits.streamBacklogBytes, 'bytes'],
    ['stream-stall', 'A reader that takes nothing is dropped after', limits.streamStallMs, 'milliseconds'],
    ['stream-beat', 'A silent stream says that it is alive every', limits.heartbeatMs, 'milliseconds'],
    ['stream-rights', 'An open stream asks whether it may go on every', limits.reauthoriseMs, 'milliseconds'],
  ])
}

function accountLines(): LimitLine[] {
  const limits = accountLimits
  return [
    ...lines('accounts', 'server/accounts/password.ts', [
      ['password-least', 'Password at least', limits.passwordLeast, 'characters'],
      ['password-most', 'Password at most', limits.passwordMost, 'characters'],
      ['hashes', 'Passwords hashed at once', limits.hashesAtOnce, 'count'],
      ['hashes-waiting', 'Passwords that wait to be hashed', limits.hashesWaiting, 'count'],
    ]),
    ...lines('accounts', 'server/accounts/delays.ts', [
      ['wrong-free', 'Wrong passwords for a name before it waits', limits.wrongFree, 'count'],
      ['wrong-first', 'The first wait, doubled by each further one', limits.wrongFirstMs, 'milliseconds'],
      ['wrong-most', 'The longest wait', limits.wrongMostMs, 'milliseconds'],
      ['wrong-forget', 'Quiet after a wait until it is forgotten', limits.wrongForgetMs, 'milliseconds'],
      ['wrong-names', 'Names whose wrong passwords are remembered', limits.wrongRemembered, 'count'],
    ]),
    ...lines('accounts', 'server/accounts/sessions.ts', [
      ['session', 'A session lasts', limits.sessionMs, 'milliseconds'],
      ['session-idle', 'A session that is not used lasts', limits.idleMs, 'milliseconds'],
    ]),
    ...lines('accounts', 'server/accounts/codes.ts', [
      ['invite', 'An invitation lasts', limits.inviteMs, 'milliseconds'],
      ['reset', 'A code to reset a password lasts', limits.resetMs, 'milliseconds'],
    ]),
  ]
}

function runLimits(limits: RunLimits): LimitLine[] {
  return [
    ...lines('runs', 'server/runs/runs.ts', [
      ['runs', 'Active runs of a user', limits.active, 'count'],
      ['run-lease', 'A claim must be prolonged within', limits.leaseMs, 'milliseconds'],
      ['run-stop', 'A stopped run is ended from outside after', limits.stopMs, 'milliseconds'],
      ['run-hold', 'A request that is held waits for an answer', limits.holdMs, 'milliseconds'],
      ['run-end', 'An ending that could not be stored is tried again after', limits.endAgainMs, 'milliseconds'],
    ]),
    ...lines('runs', 'server/runs/title.ts', [
      ['title-time', 'A title must be there within', titleLimits.ms, 'milliseconds'],
      ['title-tokens', 'Tokens of the answer that it is read from', titleLimits.tokens, 'count'],
    ]),
    ...lines('runs', 'engine/src/agents/turn-types.ts', [
      ['run-steps', 'Requests of a run to its model', turnLimits.steps, 'count'],
      ['run-calls', 'Calls of a run', turnLimits.calls, 'count'],
      ['run-time', 'A run lasts', turnLimits.wallMs, 'milliseconds'],
      ['run-blocked', 'Steps in a row in which every call was blocked', turnLimits.blockedSteps, 'count'],
      ['run-repeated', 'Steps in a row that only repeated earlier calls', turnLimits.repeatedSteps, 'count'],
      ['run-barren', 'Steps in a row that brought nothing new', turnLimits.barrenSteps, 'count'],
    ]),
  ]
}

function taskLines(): LimitLine[] {
  const { answer, atOnce, calls, children, depth, minutes, requests } = childLimits
  return [
    ...lines('runs', 'engine/src/agents/child-plan.ts', [
      ['task-children', 'Tasks that a run gives to children', children, 'count'],
      ['task-depth', 'Children below each other', depth, 'count'],
      ['task-once', 'Tasks of one turn at work at once', atOnce, 'count'],
      ['task-requests', 'Requests of a child to its model, unless its task says otherwise', requests, 'count'],
      ['task-time', 'The same: it lasts', minutes * 60_000, 'milliseconds'],
      ['task-calls', 'Calls of a child', calls, 'count'],
      ['task-answer', 'Of the answer of a child, what its run is shown', answer.bytes, 'bytes'],
    ]),
    ...lines('runs', 'engine/src/tools/builtin/delegate.ts', [
      ['task-length', 'A task', toolLimits.taskLength, 'characters'],
      ['task-requests-most', 'Requests that a task may ask for', toolLimits.taskRequests, 'count'],
      ['task-time-most', 'Time that a task may ask for', toolLimits.taskMs, 'milliseconds'],
    ]),
  ]
}

function networkLines(): LimitLine[] {
  return lines('model', 'server/network/authorities.ts', [
    ['authority-bundle', 'A bundle of authorities', authorityLimits.length, 'characters'],
    ['authorities', 'Added authorities, and those of one bundle', authorityLimits.certificates, 'count'],
  ])
}

function modelLimits(limits: ModelLimits): LimitLine[] {
  return lines('model', 'server/llm/bridge.ts', [
    ['model-connect', 'Until a model endpoint must accept', limits.connectMs, 'milliseconds'],
    ['model-first', 'Until its answer must begin', limits.firstMs, 'milliseconds'],
    ['model-idle', 'Between two parts of it', limits.idleMs, 'milliseconds'],
    ['model-notice', 'Of a silence until its countdown is shown', limits.noticeMs, 'milliseconds'],
    ['model-answer', 'An answer', limits.answerLength, 'characters'],
    ['model-wire', 'An answer with its framing', limits.wireBytes, 'bytes'],
    ['model-line', 'One line of it', limits.lineBytes, 'bytes'],
    ['model-calls', 'Calls in one answer', limits.calls, 'count'],
  ])
}

function redactionLines(): LimitLine[] {
  return [
    ...lines('model', 'server/egress/redactions.ts', [
      ['redactions', 'Own redactions of an account', redactionsPerOwner, 'count'],
    ]),
    ...lines('model', 'engine/src/privacy/own-rules.ts', [
      ['redaction', 'An own redaction', ownRuleLimits.longest, 'characters'],
      ['redaction-reach', 'What an own pattern can take', ownRuleLimits.reach, 'characters'],
    ]),
    ...lines('model', 'engine/src/privacy/bounded-redactor.ts', [
      ['redaction-time', 'The redaction of one text; without it nothing is sent', redactionLimits.deadlineMs, 'milliseconds'],
    ]),
  ]
}

function toolLines(): LimitLine[] {
  const builtin = 'engine/src/tools/builtin'
  return [
    ...lines('commands', `${builtin}/execute-command.ts`, [
      ['command-time', 'A command, unless the model asks for more', toolLimits.commandMs, 'milliseconds'],
      ['command-most', 'A command at most', toolLimits.commandMostMs, 'milliseconds'],
      ['command-output', 'Output of a command that is kept', toolLimits.commandOutputBytes, 'bytes'],
    ]),
    ...lines('commands', 'server/confinement/rules.ts', [
      ['command-file', 'A file that a command writes', commandLimits.fsize, 'bytes'],
      ['command-descriptors', 'Files that a command holds open', commandLimits.nofile, 'count'],
    ]),
    ...lines('tools', 'engine/src/tools/executor.ts', [
      ['tool-time', 'Any other tool', toolLimits.toolMs, 'milliseconds'],
      ['tool-result', 'Of a result, what the model is shown', toolLimits.resultBytes, 'bytes'],
    ]),
    ...lines('tools', 'engine/src/tools/arguments.ts', [
      ['tool-arguments', 'Arguments of a call', toolLimits.argumentBytes, 'bytes'],
      ['tool-depth', 'Nesting of arguments', toolLimits.argumentDepth, 'count'],
    ]),
    ...lines('tools', 'engine/src/tools/line-matcher.ts', [
      ['pattern-time', 'A regular expression over one batch of text', toolLimits.patternMs, 'milliseconds'],
    ]),
    ...lines('tools', 'engine/src/workspace/workspace.ts', [['file', 'A file that is read', readLimit, 'bytes']]),
    ...lines('tools', `${builtin}/search-text.ts`, [
      ['searched-file', 'A file that is searched', toolLimits.searchedFileBytes, 'bytes'],
    ]),
    ...lines('tools', `${builtin}/read-file.ts`, [['read-lines', 'Lines in one reading', toolLimits.readLines, 'count']]),
  ]
}

function storageLines(): LimitLine[] {
  const { startFloorBytes, comfortableBytes, readAtStartBytes, readAfterCrashBytes, readBesideBytes } = storageLimits
  const { sharesPerProject } = storageLimits
  return [
    ...lines('storage', 'server/retention/limits.ts', [
      ['kept-bytes', 'Streams and whole results of an owner who chose nothing', usualRetention.kept.bytes, 'bytes'],
      ['kept-time', 'The same: kept for', usualRetention.kept.days * dayMs, 'milliseconds'],
      ['kept-most', 'Most that an owner may choose, unless an administrator said otherwise', usualRetention.most.bytes, 'bytes'],
      ['kept-longest', 'The same: the longest time', usualRetention.most.days * dayMs, 'milliseconds'],
    ]),
    ...lines('storage', 'server/storage/repositories/idempotency.ts', [
      ['replies', 'An answer is kept for a repeated request', storageLimits.replyKeptMs, 'milliseconds'],
    ]),
    ...lines('storage', 'server/storage/space.ts', [
      ['start-space', 'Free space that a start needs', startFloorBytes, 'bytes'],
      ['warn-space', 'Free space below which the posture warns', comfortableBytes, 'bytes'],
    ]),
    ...lines('storage', 'server/storage/integrity.ts', [
      ['read-start', 'A database that a start reads whole', readAtStartBytes, 'bytes'],
      ['read-crash', 'The same after a crash', readAfterCrashBytes, 'bytes'],
      ['read-beside', 'A database that is read whole beside the server', readBesideBytes, 'bytes'],
    ]),
    ...lines('storage', 'server/storage/repositories/shares.ts', [
      ['shares', 'People with whom one project is shared', sharesPerProject, 'count'],
    ]),
  ]
}

function auditLines(): LimitLine[] {
  return lines('audit', 'server/audit/book.ts', [
    ['audit-places', 'Security events: rows of a kind in a minute', auditLimits.placesPerKind, 'count'],
    ['audit-rows', 'Security events: rows of a kind that are kept', auditLimits.rowsPerKind, 'count'],
    ['audit-age', 'Security events are kept for', auditLimits.keepMs, 'milliseconds'],
  ])
}

function watchLines(): LimitLine[] {
  return lines('storage', 'server/watch/watch.ts', [
    ['pause', 'A pause of the server that is an event', watchLimits.pauseMs, 'milliseconds'],
    ['log', 'A log of the database that is an event', watchLimits.logBytes, 'bytes'],
  ])
}
