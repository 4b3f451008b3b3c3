/** What left this machine for a model, what must not, and the questions one can ask about it. */
export { type ChatExport, writeChat } from './chat-export.ts'
export { type DeskParts, type DeskRequest, type OpenedDesk, openDesk } from './desk.ts'
export { writeExport } from './export.ts'
export { type HeldPlaces, holdPlace, isHeld, readHeldPlaces } from './held-places.ts'
export { createHolds, type Held, type HoldPlace, type Holds } from './holds.ts'
export { composeParts } from './manifest.ts'
export {
  addRedaction,
  readRedactions,
  redactionsPerOwner,
  removeRedaction,
  tryRedactions,
} from './redactions.ts'
export { type Found, findSent, type Question } from './search.ts'
export { type Tried, tryRule } from './try-rule.ts'
