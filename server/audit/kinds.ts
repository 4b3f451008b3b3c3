/** Which noes and which deeds are security events, and what a person reads of each. */
import type { RefusalCode } from '@bridlewise/shared/refusals'
import type { Answered } from '../boundary/index.ts'

/** What was refused, by the code that it was refused with. A no that is everyday is deliberately absent. */
const refused: Partial<Record<RefusalCode, string>> = {
  host_not_allowed: 'A foreign Host was refused',
  origin_not_allowed: 'A call from another page was refused',
  request_malformed: 'A malformed request was refused',
  method_not_allowed: 'A method was refused',
  content_type_not_json: 'A body that is no JSON was refused',
  body_too_large: 'A body that is too large was refused',
  session_missing: 'Unknown credentials were shown',
  token_missing: 'A cookie was shown without its token',
  access_denied: 'A member asked for what administrators may',
  rate_limited: 'Calls came too fast',
  streams_too_many: 'Too many streams were opened',
  credentials_wrong: 'A sign-in failed',
  password_delayed: 'A password came before its wait was over',
  hashing_busy: 'More passwords came than can be checked at once',
  password_wrong: 'A wrong current password was entered',
  passphrase_wrong: 'A wrong passphrase was entered for the key home',
  setup_code_wrong: 'A wrong setup code was entered',
  code_unusable: 'A wrong or used one-time code was entered',
  session_needed: 'An access token asked for what needs a session',
  token_out_of_scope: 'An access token asked for more than it may',
  sealed_value_tampered: 'A sealed value was changed from outside',
}

/** What was done, by the operation that did it. */
const done: Readonly<Record<string, { readonly kind: string; readonly title: string }>> = {
  'lock.unlock': { kind: 'unlocked', title: 'The key home was unlocked' },
  'account.setup': { kind: 'set_up', title: 'The first account was made' },
  'account.acceptInvite': { kind: 'invite_accepted', title: 'An invited person made an account' },
  'account.redeemReset': { kind: 'password_reset', title: 'A password was set by a one-time code' },
  'account.changePassword': { kind: 'password_changed', title: 'A password was changed' },
  'account.login': { kind: 'signed_in', title: 'Somebody signed in' },
  'account.logout': { kind: 'signed_out', title: 'Somebody signed out' },
  'account.revokeSession': { kind: 'session_revoked', title: 'A session was ended from elsewhere' },
  'account.revokeOtherSessions': { kind: 'sessions_revoked', title: 'All other sessions were ended' },
  'account.createToken': { kind: 'token_made', title: 'An access token was made' },
  'account.revokeToken': { kind: 'token_revoked', title: 'An access token was revoked' },
  'project.share': { kind: 'project_shared', title: 'A project was shared with somebody' },
  'project.unshare': { kind: 'share_ended', title: 'A project is not shared with somebody any more' },
  'project.leave': { kind: 'share_returned', title: 'Somebody gave back a project that was shared with them' },
  'project.remove': { kind: 'project_removed', title: 'A project was removed and its chats erased' },
  'network.setProxy': { kind: 'proxy_set', title: 'The proxy was set' },
  'network.removeProxy': { kind: 'proxy_removed', title: 'The proxy was removed' },
  'network.addAuthorities': { kind: 'authorities_added', title: 'Authorities were added to those that are trusted' },
  'network.removeAuthority': { kind: 'authority_removed', title: 'An added authority is not trusted any more' },
  'user.invite': { kind: 'invite_made', title: 'An invitation was made' },
  'user.withdrawInvite': { kind: 'invite_withdrawn', title: 'An invitation was withdrawn' },
  'user.makeReset': { kind: 'reset_made', title: 'A code to reset a password was made' },
  'user.setRole': { kind: 'role_changed', title: 'A role was changed' },
  'user.remove': { kind: 'account_removed', title: 'An account was removed' },
}

const others: Readonly<Record<string, string>> = {
  sign_in_slowed: 'Wrong passwords slowed an account down',
  server_started: 'The server started',
  server_stopped: 'The server stopped',
  server_blocked: 'The server stood still for a while',
  server_log_grown: 'The log of the database outgrew its bound',
  egress_redirected: 'A model endpoint pointed elsewhere, and was not followed',
  egress_address_refused: 'A model endpoint lay at an address that is never contacted',
  egress_certificate_refused: 'The certificate of a model endpoint was refused',
}

const titles: ReadonlyMap<string, string> = new Map([
  ...Object.entries(refused),
  ...Object.values(done).map(({ kind, title }): [string, string] => [kind, title]),
  ...Object.entries(others),
])

/** The names of the operations whose success is recorded. */
export const recordedOperations: readonly string[] = Object.keys(done)

/** The kind of event that an answer is, or null for everyday ones. */
export function kindOf(answer: Pick<Answered, 'code' | 'operation' | 'credentials'>): string | null {
  const { code, operation } = answer
  if (code === null) return operation === null ? null : (done[operation]?.kind ?? null)
  // Without credentials it is a page that asks whether somebody is signed in.
  if (code === 'session_missing' && answer.credentials === 'none') return null
  return code in refused ? code : null
}

/** A kind that a later version wrote reads as it is spelled. */
export function titleOf(kind: string): string {
  return titles.get(kind) ?? kind
}
