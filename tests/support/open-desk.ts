/** A desk that lets everything pass, for tests of the bridge alone. */
import { ok } from '@bridlewise/shared/refusals'
import type { EgressDesk } from '../../server/llm/bridge.ts'

export const openEgressDesk: EgressDesk = {
  redactions: [],
  withhold: (request) => ok({ request, counts: {} }),
  hold: () => null,
  depart: async () => {},
}
