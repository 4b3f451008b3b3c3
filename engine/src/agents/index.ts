/** The turn: from a person's words to an outcome, and the chat's past as a model reads it. */
export { historyFromBeats } from './history.ts'
export { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from './scripted-model.ts'
export { runTurn } from './turn.ts'
export type { RunScope, TurnContext, TurnEvent, TurnInput, TurnLimits } from './turn-types.ts'
