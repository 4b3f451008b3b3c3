/**
 * The execution of one run. Of this room it alone reaches models and processes, and whoever watches
 * a run cannot reach it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type LedgerPort, type Ports, runTurn, type TurnContext } from '@bridlewise/engine'
import { makeRefusal, refuse } from '@bridlewise/shared/refusals'
import type { Outcome } from '@bridlewise/shared/wire'
import { type OpenedDesk, openDesk } from '../egress/index.ts'
import { StorageFault } from '../storage/index.ts'
import { claimRun, keepClaim } from './claim.ts'
import type { RunParts } from './control.ts'
import { endFromOutside, endRun } from './end.ts'
import { deskOf, payerOf } from './leaving.ts'
import { readContext, windowOf } from './reading.ts'
import { createRecorder } from './record.ts'
import { tallyOf } from './tally.ts'
import type { Ticket } from './ticket.ts'
import { keepVersions } from './versions.ts'

/**
 * Execute a run from its claim to its terminal frame.
 *
 * Contract: claiming is the first effect; without the claim nothing happens. Never rejects: what
 * breaks on our side is logged and becomes the run's outcome.
 */
export async function executeRun(parts: RunParts, ticket: Ticket, signal: AbortSignal): Promise<void> {
  try {
    const beginning = await begin(parts, ticket)
    if (beginning === 'taken') return
    if (beginning === 'barred') return void (await endBarred(parts, ticket))
    const release = keepClaim(parts, ticket.scope, signal)
    try {
      const recorder = createRecorder(parts, ticket.scope)
      const out = await openDesk(parts, deskOf(parts, ticket), signal)
      const outcome = await recorder.follow(takeTurn(parts, { ticket, ledger: recorder.ledger, out }, signal))
      await endRun(parts, ticket.scope, asStopped(outcome, signal))
    } finally {
      release()
    }
  } catch (cause) {
    await endWithFault(parts, ticket, { cause, signal })
  }
}

/** `taken`: somebody else executes it, or it was stopped. `barred`: the project was taken away meanwhile. */
type Beginning = 'begun' | 'taken' | 'barred'

/** Claim, then say that the run has started: one commit, before anything is read or assembled. */
async function begin(parts: RunParts, ticket: Ticket): Promise<Beginning> {
  const { store, feed, clock } = parts
  const { scope, run, model, fixture, project, grants, continues, task } = ticket
  let beginning: Beginning = 'taken'
  await feed.commit(run.id, (number) =>
    store.enqueue(() => {
      beginning = 'taken'
      if (!claimRun(parts, scope).ok) return
      if (project && !store.projects.reach(scope, project.id)) {
        beginning = 'barred'
        return
      }
      const started = store.runs.begin(scope, run.id, clock.now())
      if (!started.ok) return
      beginning = 'begun'
      const place = project && { id: project.id, name: project.name, root: project.root }
      const grant = { basis: grants.basis, digest: grants.digest }
      const head = store.ledger.write(scope, {
        kind: 'run_started',
        payload: {
          model,
          mode: run.mode,
          fixture,
          project: place,
          grant,
          ...(continues && { continues: continues.runId }),
          ...(task === 'compact' && { task }),
        },
        source: 'server',
        ...(continues && { derivation: [continues.endId] }),
      })
      const asked = store.ledger.write(scope, {
        kind: 'message',
        payload: { messageId: ticket.messageId, role: 'user', text: ticket.prompt },
        source: 'user',
      })
      const frames = number([
        { kind: 'started', run: started.value },
        { kind: 'beat', beat: head },
        { kind: 'beat', beat: asked },
      ])
      store.frames.write(scope, frames)
    }),
  )
  return beginning
}

async function endBarred(parts: RunParts, { scope }: Ticket): Promise<void> {
  await endRun(parts, scope, { kind: 'failed', ...tallyOf([]), refusal: makeRefusal('project_unshared') })
}

interface Execution {
  readonly ticket: Ticket
  readonly ledger: LedgerPort
  /** What the requests of this run pass on their way out. */
  readonly out: OpenedDesk
}

function takeTurn(parts: RunParts, { ticket, ledger, out }: Execution, signal: AbortSignal) {
  const { run, project, prompt } = ticket
  const place = project && { id: project.id, name: project.name, root: project.root, withheld: out.withheld }
  const context: TurnContext = {
    ports: portsFor(parts, { ticket, ledger, out }),
    grants: ticket.grants,
    tools: parts.tools,
    scope: { runId: run.id, chatId: run.chatId, mode: run.mode, project: place },
    ...(ticket.fixture ? {} : { purse: parts.budget.purseFor(payerOf(ticket)) }),
    ...summariesOf(parts, ticket, out),
    reportFault: parts.reportFault,
  }
  const steering = () => parts.store.waiting.listSteering(ticket.scope, run.id).map(({ id, text }) => ({ messageId: id, text }))
  return runTurn(context, { modelId: ticket.model.modelId, prompt, steering, ...readContext(parts, ticket) }, signal)
}

/** The small model, past the same desk, where one is chosen. */
function summariesOf(parts: RunParts, { scope, small }: Ticket, out: OpenedDesk): Pick<TurnContext, 'summaries'> {
  if (small === null) return {}
  const model = parts.bridge.modelFor(small.endpoint, parts.store.providers.secrets(scope), out.desk)
  return { summaries: { model, modelId: small.choice.modelId, window: windowOf(parts, scope, small.choice).tokens } }
}

function portsFor({ store, bridge, confinement, clock, ids }: RunParts, { ticket, ledger, out }: Execution): Ports {
  const { scope, endpoint } = ticket
  return {
    model: bridge.modelFor(endpoint, store.providers.secrets(scope), out.desk),
    process: confinement.processPort(),
    ledger,
    blobs: {
      put: async (text) => store.blobs.put(scope, { id: ids.next('blob'), runId: scope.runId, text, createdAt: clock.now() }),
    },
    versions: keepVersions({ store, clock, ids }, { ...scope, projectId: ticket.project?.id ?? null }),
    // No surface to ask on means no.
    approvals: {
      ask: async ({ effect }) => refuse('approval_denied', { effect, reason: 'there is no place to ask yet' }),
    },
    clock,
    ids,
  }
}

/** A turn only knows that it was stopped; the signal knows by whom. */
function asStopped(outcome: Outcome, signal: AbortSignal): Outcome {
  if (outcome.kind !== 'cancelled' || signal.reason !== 'interrupted') return outcome
  return { ...outcome, kind: 'interrupted', refusal: makeRefusal('run_interrupted') }
}

interface Breakage {
  readonly cause: unknown
  readonly signal: AbortSignal
}

/**
 * End a run whose execution broke.
 *
 * What breaks it is often the store, so the ending may not be storable either. Then it is tried again:
 * until it stands in the record the run is active, its viewers wait, and it can be stopped.
 */
async function endWithFault(parts: RunParts, { scope }: Ticket, { cause, signal }: Breakage): Promise<void> {
  const fault = parts.reportFault(cause)
  const refusal = cause instanceof StorageFault ? cause.refusal : makeRefusal('run_fault', { fault })
  for (let tries = 1; ; tries += 1) {
    try {
      await endFromOutside(parts, scope, (tally) => ({ kind: 'failed', ...tally, refusal }))
      return
    } catch (second) {
      if (tries === 1) parts.reportFault(second)
    }
    if (signal.aborted) return
    await wait(parts.limits.endAgainMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
