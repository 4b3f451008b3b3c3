/** Front door of the network: the one dispatcher of everything that goes out, and what a person may set of it. */
export { AddressForbidden, bareHost, isForbidden, isLocal, isLoopbackHost } from './address.ts'
export { authorityLimits } from './authorities.ts'
export { describeProxy, describeSent, describeSources, placesOf } from './describe.ts'
export { createDispatcher, type Dispatcher, type NetworkFacts } from './dispatcher.ts'
export { certificateProblem, connectionProblem, isPassing, NetworkFailure } from './failures.ts'
export { createNetworkDesk, type NetworkDesk, readSettings } from './settings.ts'
export { readSystemNames, systemFile } from './system.ts'
export { type ProxyNames, readProxyNames } from './way.ts'
