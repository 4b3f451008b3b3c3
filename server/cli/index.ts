/** Front door of the command line: each command takes the environment and gives an exit code. */
export { backup, restore } from './backup.ts'
export { type Caller, setUp } from './caller.ts'
export { demo } from './demo.ts'
export { diagnostics } from './diagnostics.ts'
export { doctor } from './doctor.ts'
export { keysExport, keysImport, keysRotate } from './keys.ts'
export { ledgerVerify } from './ledger-verify.ts'
export { serve } from './serve.ts'
