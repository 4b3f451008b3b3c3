/** The guardian's front door: how to ask for confinement, and how to read what it says. */
export { compilerRemedy, guardianBinary } from './binary.ts'
export { type BuildResult, buildGuardian } from './build.ts'
export { isLayer, type Layer, landlockFloor, mandatoryLayers, type OptionalLayer, optionalLayers } from './layers.ts'
export { buildArguments, type LimitName, type Policy } from './policy.ts'
export { type HostFacts, type ProbeResult, probeHost } from './probe.ts'
export { createReportReader, type ReportLine, type ReportReader } from './report.ts'
