export {
  type Acceptance,
  admitDeveloperPreview,
  admitHarness,
  assertGrant,
  type Grant,
  type GrantBasis,
  type Grants,
  requireGrant,
} from './grants.ts'
export type {
  ApprovalRequest,
  ApprovalsPort,
  BlobPort,
  Clock,
  Ids,
  LedgerPort,
  ModelPort,
  Ports,
  ProcessOutcome,
  ProcessOutput,
  ProcessPort,
  ProcessSpec,
} from './ports.ts'
export {
  type AdmissionVerdict,
  evaluateAdmission,
  policyDigest,
  type RootCapability,
  type RootPolicy,
  rootPolicy,
} from './root-policy.ts'
