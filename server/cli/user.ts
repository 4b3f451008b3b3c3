/** `user list`, `user reset`, `user admin`: accounts from the terminal, for whoever cannot sign in. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { createOperator, type Operator } from '../accounts/index.ts'
import { createAuditBook, noteOperator } from '../audit/index.ts'
import { readConfig } from '../index.ts'
import { openStore } from '../storage/index.ts'
import { printRefusal } from './print.ts'
import { readUnlock } from './unlock.ts'

/** Exit code 0 when the accounts were listed. */
export async function userList(environment: NodeJS.ProcessEnv): Promise<number> {
  return actOn(environment, (operator) => {
    const rows = operator.listUsers().map(({ username, role }) => `${role.padEnd(6)}  ${username}`)
    return ok({ say: rows.length === 0 ? ['There is no account yet. Start the server and finish the setup.'] : rows, did: null })
  })
}

/** Exit code 0 when there is a code; it stands on stdout and nowhere else. */
export async function userReset(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const [name] = words
  if (name === undefined || words.length > 1) return 2
  return actOn(environment, (operator) => {
    const made = operator.makeReset(name)
    if (!made.ok) return made
    const { username, code, expiresAt } = made.value
    const say = [
      `Reset code for ${username}: ${code}`,
      `It works once, until ${new Date(expiresAt).toISOString()}.`,
      'Next: start the server, open it, follow "I have a code" and choose a new password.',
      'Sessions and access tokens of the account end then. Until then nothing changes.',
    ]
    return ok({ say, did: { kind: 'reset_made', what: `user reset ${username}` } })
  })
}

/** Exit code 0 when the user is an administrator now, or was one before. */
export async function userAdmin(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const [name] = words
  if (name === undefined || words.length > 1) return 2
  return actOn(environment, (operator) => {
    const changed = operator.makeAdmin(name)
    if (!changed.ok) return changed
    const { username } = changed.value
    return ok({ say: [`${username} is an administrator.`], did: { kind: 'role_changed', what: `user admin ${username}` } })
  })
}

interface Done {
  readonly say: readonly string[]
  /** For the record of security events; null for what only reads. */
  readonly did: { readonly kind: 'reset_made' | 'role_changed'; readonly what: string } | null
}

/** Contract: nothing is said to have been done before its record is written. */
async function actOn(environment: NodeJS.ProcessEnv, act: (operator: Operator) => Result<Done>): Promise<number> {
  process.umask(0o077)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const unlock = await readUnlock(config.value)
  if (!unlock.ok) return printRefusal(unlock.refusal)
  const opened = await openStore(config.value.homes, Date.now, unlock.value)
  if (!opened.ok) {
    const code = printRefusal(opened.refusal)
    if (opened.refusal.code === 'data_home_locked')
      process.stderr.write('While it runs, an administrator can do this in the cockpit, under Users.\n')
    return code
  }
  const store = opened.value
  try {
    const done = act(createOperator({ store, now: Date.now }))
    if (!done.ok) {
      const code = printRefusal(done.refusal)
      process.stderr.write('The names stand in "bridlewise user list".\n')
      return code
    }
    const { say, did } = done.value
    if (did) {
      let lost = false
      const book = createAuditBook({
        events: store.securityEvents,
        now: Date.now,
        report: () => {
          lost = true
        },
      })
      noteOperator(book, did)
      await book.flush()
      if (lost) process.stderr.write('The record of security events could not be written.\n')
    }
    process.stdout.write(`${say.join('\n')}\n`)
    return 0
  } finally {
    store.close()
  }
}
