/** Front door of the command line: each command takes the environment and gives an exit code. */
export { ledgerVerify } from './ledger-verify.ts'
export { serve } from './serve.ts'
