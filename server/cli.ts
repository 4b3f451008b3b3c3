#!/usr/bin/env node
/** `bridlewise`: what can be done from a terminal. Each command is a file of `cli/`. */
import {
  backup,
  demo,
  diagnostics,
  doctor,
  keysExport,
  keysImport,
  keysKeychain,
  keysProtect,
  keysRotate,
  keysUnprotect,
  ledgerVerify,
  restore,
  serve,
  userAdmin,
  userList,
  userReset,
  vacuum,
} from './cli/index.ts'

const usage = `usage: bridlewise <command>

  start           serve the cockpit on this machine
  demo            play the recorded turn on the sample project, and verify its ledger
  backup FILE     write the database to a new file, beside a running server or without one
  restore FILE    put a backup in place; what was there is moved aside
  vacuum          give the room of what was deleted back to the disk, with the server stopped
  doctor          measure homes, keys, database, ledger and sandbox; --json for a script
  diagnostics     show what may be handed to somebody who helps; --without SECTION leaves one out,
                  --output FILE saves it once you agreed, --yes agrees beforehand, --json prints it alone
  user list       who has an account; this and the next two with the server stopped
  user reset NAME make a one-time code with which this person sets a new password
  user admin NAME make this person an administrator
  ledger verify   verify the ledger of the data home from its first entry; --head RECEIPT against one printed before
  keys rotate     make a new key and move everything to it, with the server stopped
  keys protect    put the key home under a passphrase, or under another one; the server is stopped
                  and asks for it at each start; --passphrase-file FILE instead of typing the new one
  keys unprotect  take the passphrase off
  keys keychain on, keys keychain off
                  let the keychain of this system open the key home, or no longer
  keys export FILE, keys import FILE
                  the key home as one file under a passphrase; --passphrase-file FILE instead of typing it
`

/** Takes the environment and the words behind its name; gives the exit code, 2 for words that it does not know. */
type Command = (environment: NodeJS.ProcessEnv, words: readonly string[]) => Promise<number>

const commands: Readonly<Record<string, Command>> = {
  start: alone(serve),
  demo: alone(demo),
  backup,
  restore,
  vacuum: alone(vacuum),
  diagnostics,
  doctor,
  'ledger verify': ledgerVerify,
  'user list': alone(userList),
  'user reset': userReset,
  'user admin': userAdmin,
  'keys rotate': alone(keysRotate),
  'keys protect': keysProtect,
  'keys unprotect': alone(keysUnprotect),
  'keys keychain': keysKeychain,
  'keys export': keysExport,
  'keys import': keysImport,
}

const given = process.argv.slice(2)
const name = Object.keys(commands).find((known) => known.split(' ').every((word, at) => word === given[at])) ?? ''
const code = (await commands[name]?.(process.env, given.slice(name.split(' ').length))) ?? 2
if (code === 2) process.stderr.write(usage)
process.exitCode = code

/** A command that takes no words. */
function alone(command: (environment: NodeJS.ProcessEnv) => Promise<number>): Command {
  return async (environment, words) => (words.length === 0 ? command(environment) : 2)
}
