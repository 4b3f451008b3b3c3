/** What every request for a run passes on its way out, and who pays for it. */
import type { Payer } from '../budget/index.ts'
import { type DeskRequest, isHeld, readRedactions } from '../egress/index.ts'
import type { RunParts } from './control.ts'
import { recordAnswer } from './held.ts'
import type { Ticket } from './ticket.ts'

export function deskOf(parts: RunParts, { scope, project }: Ticket): DeskRequest {
  const place = { projectId: project?.id ?? null, chatId: scope.chatId }
  return {
    scope,
    rules: parts.store.egressRules.inForce(scope, place.projectId),
    redactions: readRedactions(parts.store, scope),
    root: project?.root ?? null,
    isHeld: () => isHeld(parts.store, scope, place),
    unanswered: (held) => recordAnswer(parts, held, 'none'),
  }
}

export function payerOf({ scope, run, endpoint, small }: Ticket): Payer {
  const other = small && { small: { kind: small.endpoint.kind, modelId: small.choice.modelId } }
  return { ...scope, projectId: run.projectId, kind: endpoint.kind, modelId: run.model.modelId, ...other }
}
