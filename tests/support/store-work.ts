/** Work on a store in a process of its own: `node tests/support/store-work.ts <work> <homes as JSON> <file>`. Says line by line what was done. */
import { backUpStore, type Homes, openStore, type Store } from '../../server/storage/index.ts'

const [work = '', homesText = '', file = ''] = process.argv.slice(2)
const homes = JSON.parse(homesText) as Homes
const scope = { userId: 'user_nobody', runId: null, chatId: null }
const payload = { severity: 'info' as const, title: 'x', text: 'y'.repeat(3000), evidence: [] }

/** Everything that a store can be asked for on a disk that may fail. Each says `done <what>` once it is acknowledged. */
const works: Readonly<Record<string, () => Promise<void>>> = {
  // Of an older schema this migrates first, of an empty home it makes everything.
  open: async () => withStore(append),
  rotate: async () =>
    withStore(async (store) => {
      const rotated = await store.rotateKeys({ rowsAtOnce: 5 })
      say(rotated.ok ? 'done rotate' : `refused ${rotated.refusal.code}`)
    }),
  backup: async () =>
    withStore(async () => {
      const backup = await backUpStore(homes, file)
      say(backup.ok ? 'done backup' : `refused ${backup.refusal.code}`)
    }),
}

async function withStore(use: (store: Store) => Promise<void>): Promise<void> {
  const opened = await openStore(homes)
  if (!opened.ok) return say(`refused ${opened.refusal.code}`)
  say('done open')
  await use(opened.value)
  opened.value.close()
}

async function append(store: Store): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    try {
      const { seq } = await store.ledger.append(scope, { kind: 'finding', source: 'server', payload })
      say(`done beat ${seq}`)
    } catch (error) {
      const refusal = (error as { refusal?: { code: string } }).refusal
      if (!refusal) throw error
      say(`refused ${refusal.code}`)
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

await works[work]?.()
