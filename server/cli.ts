#!/usr/bin/env node
/** `bridlewise`: what can be done from a terminal. Each command is a file of `cli/`. */
import { demo, ledgerVerify, serve } from './cli/index.ts'

const usage = `usage: bridlewise <command>

  start           serve the cockpit on this machine
  demo            play the recorded turn on the sample project, and verify its ledger
  ledger verify   verify the ledger of the data home from its first entry
`

const commands: Readonly<Record<string, (environment: NodeJS.ProcessEnv) => Promise<number>>> = {
  start: serve,
  demo,
  'ledger verify': ledgerVerify,
}

const command = commands[process.argv.slice(2).join(' ')]
if (!command) process.stderr.write(usage)
process.exitCode = command ? await command(process.env) : 2
