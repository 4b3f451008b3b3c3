/** A keychain that is a file, for the state machine around it; the real one has a test of its own. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { Keychain } from '../../server/storage/index.ts'

/** Keeps its entries in a directory, so that the next process finds them. */
export function createFileKeychain(directory: string): Keychain {
  const fileOf = (entry: string) => path.join(directory, `entry-${entry}`)
  return {
    read: async (entry) => ok(existsSync(fileOf(entry)) ? readFileSync(fileOf(entry), 'utf8') : null),
    write: async (entry, secret) => {
      writeFileSync(fileOf(entry), secret)
      return ok('written')
    },
    remove: async (entry) => {
      rmSync(fileOf(entry), { force: true })
      return ok('removed')
    },
  }
}

/** As a session without a keychain answers. */
export const absentKeychain: Keychain = {
  read: async () => refuse('keychain_unusable', { problem: 'there is none' }),
  write: async () => refuse('keychain_unusable', { problem: 'there is none' }),
  remove: async () => refuse('keychain_unusable', { problem: 'there is none' }),
}
