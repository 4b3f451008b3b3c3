/** The turn: from a person's words to an outcome, and the chat's past as a model reads it. */
export { childLimits } from './child-plan.ts'
export { checkAnswer, startEvidence } from './claims/index.ts'
export {
  type ContextInput,
  estimateRequest,
  leaveOutRepeats,
  type Notes,
  readNotes,
  readPast,
} from './context/index.ts'
export { historyFromBeats } from './history.ts'
export type { Purse, PurseLimit } from './purse.ts'
export { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from './scripted-model.ts'
export { runTurn } from './turn.ts'
export {
  defaultLimits as turnLimits,
  type RunScope,
  type TurnContext,
  type TurnEvent,
  type TurnInput,
  type TurnLimits,
} from './turn-types.ts'
