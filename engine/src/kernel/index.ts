export {
  type Acceptance,
  admitDeveloperPreview,
  admitHarness,
  assertGrant,
  type Grant,
  type Grants,
  requireGrant,
} from './grants.ts'
export type {
  ApprovalRequest,
  ApprovalsPort,
  BlobPort,
  Clock,
  FileVersion,
  Ids,
  LedgerPort,
  ModelPort,
  Ports,
  ProcessOutcome,
  ProcessPort,
  ProcessSpec,
  VersionsPort,
  WriteBeat,
} from './ports.ts'
export {
  type AdmissionVerdict,
  evaluateAdmission,
  policyDigest,
  type RootCapability,
  rootPolicy,
} from './root-policy.ts'
