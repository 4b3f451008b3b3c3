export { Cockpit, type CockpitGiven } from './cockpit.svelte.ts'
export { DeskState, type EvidenceTab, type NarrowPane, type Selection, type Theme } from './desk.svelte.ts'
export type { DraftPlace, Drafts } from './drafts.ts'
export type { RuleTrial } from './egress-rules.svelte.ts'
export type { HeldPreview } from './holds.svelte.ts'
export type { NewRedaction, RedactionTrial } from './own-redactions.svelte.ts'
export type { Posture } from './posture.svelte.ts'
export type { SpokenTo, WatchedProbe } from './probe.svelte.ts'
export type { Directory } from './projects.svelte.ts'
export type { Discovery, ModelOption, ModelsAsk, NewProvider, ProviderChange } from './providers.svelte.ts'
export { type RewindComparison, RewindPlanState } from './rewind.svelte.ts'
export { formatRoute, type PlainPlace, parseRoute, type Route } from './route.ts'
export type { SentAnswer, SentQuestion } from './sent.svelte.ts'
export type { Phase } from './session.svelte.ts'
export type { Verification } from './timeline.svelte.ts'
export { rowsOf, type Turn, type TurnChild, type TurnClaims, type TurnPart, type TurnRequest, type TurnRow } from './turn.ts'
export { weighClaims } from './turn-claims.ts'
export {
  canContinue,
  changesOf,
  costOf,
  describeEnd,
  type FileChanges,
  isActive,
  isFixture,
  meterOf,
  modelLabel,
  statusOf,
  unknownOf,
  usageOf,
} from './turn-figures.ts'
export type { Delivery } from './waiting.svelte.ts'
