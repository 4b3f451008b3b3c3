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
export { type ChildScope, childScopeSchema } from './child.ts'
export {
  type Compaction,
  type ContextMeter,
  type ContextParts,
  compactionSchema,
  contextMeterSchema,
  contextPartsSchema,
  type InstructionFile,
  type ItemPlace,
  instructionFileSchema,
  itemPlaceSchema,
} from './context.ts'
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
  type Departure,
  type DeparturePurpose,
  departurePurposeSchema,
  departureSchema,
  describeEgressRule,
  type EgressPart,
  type EgressPartKind,
  type EgressRule,
  egressPartKindSchema,
  egressPartSchema,
  egressRuleSchema,
  type WithheldClass,
  withheldClassSchema,
  withheldClassTitles,
} from './manifest.ts'
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
  type VendorFields,
} from './model.ts'
export { type FileLines, fileLinesSchema } from './origin.ts'
export { mostPerPage, nextOutput, numberMark, pageInput, timeMark } from './pages.ts'
export {
  type KnownProfile,
  knownProfileSchema,
  type ProbeBounds,
  type ProbeFrame,
  type ProbeStep,
  type Profile,
  probeBoundsSchema,
  probeFrameSchema,
  probeStepSchema,
  profileSchema,
  profileVersion,
} from './profile.ts'
export { type FilePlan, filePlanSchema, type RewindMark, rewindMarkSchema } from './rewind.ts'
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
export { type Waiting, waitingSchema } from './waiting.ts'
