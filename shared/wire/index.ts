export {
  type Beat,
  type BeatDraft,
  type BeatKind,
  type BeatOf,
  type BeatPayload,
  type BeatSource,
  beatSchema,
  beatSourceSchema,
  type CallStatus,
  type Capability,
  type ClaimVerdict,
  callStatusSchema,
  capabilitySchema,
  type FabricationShape,
  type Headline,
  headlineSchema,
  type RewindMode,
  rewindModeSchema,
  type Watched,
  watchedSchema,
} from './beats.ts'
export { type Charge, chargeSchema } from './charge.ts'
export {
  type Details,
  type DetailsKind,
  type DiffLine,
  detailsSchema,
  diffLineSchema,
  type FileDiff,
  fileDiffSchema,
  type Receipt,
  receiptSchema,
  type Skipped,
  skippedSchema,
} from './details.ts'
export {
  type Diagnostics,
  type DiagnosticsPart,
  type DiagnosticsSection,
  diagnosticsFormat,
  diagnosticsSchema,
  diagnosticsSections,
  writeDiagnostics,
} from './diagnostics.ts'
export { type Frame, type FrameDraft, type FrameKind, frameSchema } from './frames.ts'
export { type IdNoun, idNouns, idOf, makeId } from './ids.ts'
export {
  type Egress,
  egressSchema,
  type Finish,
  finishSchema,
  type ModelCall,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ToolSchema,
  type Usage,
  usageSchema,
} from './model.ts'
export { mostPerPage, nextOutput, numberMark, pageInput, timeMark } from './pages.ts'
export { type Profile, profileSchema, profileVersion } from './profile.ts'
export {
  type ModelChoice,
  modelChoiceSchema,
  type Outcome,
  outcomeSchema,
  type Run,
  type RunMode,
  type RunStatus,
  runModeSchema,
  runSchema,
  runStatusSchema,
  type WaitingMessage,
  waitingMessageSchema,
} from './runs.ts'
  type VendorFields,
