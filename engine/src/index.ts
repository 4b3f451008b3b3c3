/** The engine's front door: what the server, the command line and the tests may use. */
export {
  createScriptedModel,
  historyFromBeats,
  type RunScope,
  runTurn,
  type ScriptedAnswer,
  type ScriptedModel,
  type TurnContext,
  type TurnEvent,
  type TurnInput,
  type TurnLimits,
  turnLimits,
} from './agents/index.ts'
export {
  applyEdits,
  createReadLog,
  diffTexts,
  type Edit,
  type EditContext,
  type EditedFile,
  type EditOutcome,
  type ReadLog,
} from './editor/index.ts'
export { type HarnessReport, runHarness, type ScenarioReport, scenarios } from './harness/index.ts'
export {
  type Acceptance,
  type AdmissionVerdict,
  type ApprovalRequest,
  type ApprovalsPort,
  admitDeveloperPreview,
  admitHarness,
  type BlobPort,
  type Clock,
  evaluateAdmission,
  type Grants,
  type Ids,
  type LedgerPort,
  type ModelPort,
  type Ports,
  type ProcessOutcome,
  type ProcessPort,
  type ProcessSpec,
  policyDigest,
  type RootCapability,
  requireGrant,
  rootPolicy,
} from './kernel/index.ts'
export { containsPlaceholder, createRedactor, type Redaction, type Redactor } from './privacy/index.ts'
export {
  CanonicalFault,
  type ChainVerdict,
  canonicalise,
  type EntryFields,
  genesisHash,
  type LedgerEntry,
  linkEntry,
  makeWellFormed,
  payloadDigest,
  type VerifiableEntry,
  verifyChain,
} from './timeline/index.ts'
export {
  builtinTools,
  createToolRegistry,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolManifestEntry,
  type ToolRegistry,
  type ToolResult,
  toolLimits,
} from './tools/index.ts'
export { openWorkspace, readLimit, type Workspace } from './workspace/index.ts'
