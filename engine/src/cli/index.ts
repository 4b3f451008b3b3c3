/** The command line of the engine, a client of the front door like any other. */
export { runCommandLine } from './main.ts'
