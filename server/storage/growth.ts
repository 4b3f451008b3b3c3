/** Everything that grows in the data home, and what bounds it. A test names what is missing here. */

export interface Growing {
  /** A table of the database, or what lies beside it. */
  readonly place: string
  readonly what: string
  /** What makes it go, or why it stays. */
  readonly bound: string
}

const withChat = 'goes with its chat'
const withAccount = 'goes with its account'
const byHand = 'goes when somebody removes it'
const retention = 'retention: age and bytes of its owner'

export const growth: readonly Growing[] = [
  { place: 'frames', what: 'streams of runs, for replay', bound: retention },
  { place: 'blobs', what: 'whole results of which a chat shows a part', bound: retention },
  { place: 'versions', what: 'contents of files that runs changed', bound: retention },
  { place: 'rewinds', what: 'that a chat went back', bound: withChat },
  { place: 'changes', what: 'edits under way', bound: 'one of a run; goes when all of its files are changed' },
  { place: 'removed_results', what: 'that a whole result was removed, and when', bound: withChat },
  { place: 'chats', what: 'chats', bound: byHand },
  { place: 'messages', what: 'words of a chat', bound: withChat },
  { place: 'runs', what: 'runs', bound: withChat },
  { place: 'waiting_messages', what: 'messages that wait for a run', bound: 'some of a chat; goes with it' },
  { place: 'run_executions', what: 'claims of runs', bound: withChat },
  { place: 'writer_leases', what: 'who writes in a project', bound: 'one of a directory' },
  { place: 'charges', what: 'what requests to models came to, as numbers', bound: withAccount },
  {
    place: 'departures',
    what: 'what each request to a model was made of',
    bound: 'goes with its chat; of probes the newest 1,000 of an account',
  },
  { place: 'departed_texts', what: 'texts as they left for a model, each once a chat', bound: withChat },
  { place: 'egress_rules', what: 'what must never be sent', bound: '200 of an account' },
  { place: 'beats', what: 'the chain of the ledger', bound: 'nothing: it stays for ever, without the content of deleted chats' },
  { place: 'beat_payloads', what: 'what the ledger says', bound: withChat },
  { place: 'erasures', what: 'that a chat was deleted', bound: 'nothing: it explains the gaps of the ledger' },
  { place: 'remains', what: 'what is still to be erased', bound: 'goes once it is erased' },
  { place: 'idempotency', what: 'answers for repeated requests', bound: 'age' },
  { place: 'sessions', what: 'signed-in browsers', bound: 'age' },
  { place: 'account_codes', what: 'invites and reset codes', bound: 'age' },
  { place: 'security_events', what: 'security events', bound: 'age, and rows of a kind' },
  { place: 'users', what: 'accounts', bound: byHand },
  { place: 'access_tokens', what: 'access tokens, revoked ones too', bound: withAccount },
  { place: 'settings', what: 'choices of people', bound: withAccount },
  { place: 'projects', what: 'projects', bound: byHand },
  { place: 'project_shares', what: 'shares of projects', bound: 'people of a project' },
  { place: 'providers', what: 'providers', bound: byHand },
  { place: 'model_roles', what: 'which model does what', bound: 'one of a role in a chat, a project or an account' },
  { place: 'acceptances', what: 'acceptances of the policy', bound: 'one of a policy' },
  { place: 'installation', what: 'what the installation remembers of itself', bound: 'one of a name' },
  { place: 'bounds', what: 'what an administrator allows', bound: 'one of a name' },
  { place: 'keys', what: 'keys that sealed values name', bound: 'goes after a change of keys' },
  { place: '__drizzle_migrations', what: 'versions of the schema', bound: 'one of a version' },
  { place: 'bridlewise.db-wal', what: 'the log of the database', bound: 'bytes; emptied after an erasure and at a stop' },
  { place: 'backups/', what: 'copies from before an upgrade', bound: byHand },
  { place: 'replaced-…/', what: 'what was there before a restore', bound: byHand },
]
