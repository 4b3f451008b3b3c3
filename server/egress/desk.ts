/** The desk that every request of a run passes before it leaves: rules, then the record of what it is made of. */
import { hash } from 'node:crypto'
import { type Clock, findWithheld, type Ids, type OwnRule, type Withholding, withholding } from '@bridlewise/engine'
import type { EgressPart } from '@bridlewise/shared/wire'
import type { EgressDesk } from '../llm/bridge.ts'
import type { DepartureDraft, DepartureScope, EgressRuleRecord, Store } from '../storage/index.ts'
import type { HoldCall, Holds } from './holds.ts'
import { composeParts } from './manifest.ts'
import { createWithholder, isKnownByWords } from './withhold.ts'

export interface DeskParts {
  readonly store: { readonly departures: Pick<Store['departures'], 'append'> }
  readonly clock: Clock
  readonly ids: Ids
  readonly holds: Pick<Holds, 'hold'>
}

export interface DeskRequest {
  readonly scope: DepartureScope
  /** Those in force when the run begins; a change counts from the next run on. */
  readonly rules: readonly EgressRuleRecord[]
  /** What the person has replaced besides; the same holds for a change of it. */
  readonly redactions: readonly OwnRule[]
  /** Absolute; null in a chat without a project. */
  readonly root: string | null
  /** Whether the person wants to see a request first; asked before each. */
  readonly isHeld: () => boolean
  /** Records that they did not answer. */
  readonly unanswered: HoldCall['unanswered']
}

export interface OpenedDesk {
  readonly desk: EgressDesk
  /** What no tool of the run may read or write. */
  readonly withheld: Withholding
}

/** Open the desk of one run. Files that rules keep are read now, so that their words are known. */
export async function openDesk(parts: DeskParts, request: DeskRequest, signal: AbortSignal): Promise<OpenedDesk> {
  const { scope, rules, redactions, root, isHeld, unanswered } = request
  const kept = withholding(rules.map(({ rule }) => rule))
  const secret = withholding(rules.map(({ rule }) => rule).filter(isKnownByWords))
  const found = root === null ? null : await findWithheld(root, { rules: secret, reading: 'words' }, signal)
  const withholder = createWithholder(kept, found?.words ?? [])
  let before: readonly string[] = []

  const desk: EgressDesk = {
    redactions,
    withhold: withholder.request,
    hold: (leaving, stopped) => (isHeld() ? parts.holds.hold({ scope, leaving, unanswered }, stopped) : null),
    async depart(leaving) {
      const { egress } = leaving
      const { step, purpose = 'answer' } = leaving.request
      const composed = composeParts(leaving)
      const marks = composed.map(({ part }) => markOf(part))
      const same = countSame(before, marks)
      before = marks
      const { store, clock, ids } = parts
      const draft: DepartureDraft = {
        id: ids.next('departure'),
        step,
        at: clock.now(),
        egress,
        purpose,
        same,
        fresh: composed.slice(same),
      }
      await store.departures.append(scope, draft)
    },
  }
  return { desk, withheld: kept }
}

/** Two parts with one mark are the same part, in the same place of two requests. */
function markOf(part: EgressPart): string {
  return hash('sha256', JSON.stringify(part))
}

function countSame(before: readonly string[], now: readonly string[]): number {
  const differs = now.findIndex((mark, at) => mark !== before[at])
  return differs < 0 ? now.length : differs
}
