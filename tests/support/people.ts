/** Several people on one real server: who they are, and calls in their name. */
import { passphrase, type Session, type TestServer } from './server.ts'

export interface Person extends Session {
  readonly userId: string
  readonly username: string
}

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown> & { readonly refusal?: { readonly code: string; readonly message: string } }
}

type Headers = Readonly<Record<string, string>>

/** A call as it goes over the wire: a POST when there is an input, else a GET. */
export async function call(server: TestServer, path: string, given: { headers?: Headers; input?: object } = {}): Promise<Answer> {
  const { headers = {}, input } = given
  const body = input && { method: 'POST', body: JSON.stringify(input) }
  const response = await fetch(`${server.url}/api/${path}`, {
    ...body,
    headers: { ...headers, ...(input ? { 'content-type': 'application/json' } : {}) },
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

/** Come in by one of the operations that open a session. */
export async function enter(server: TestServer, operation: string, input: object, headers: Headers = {}): Promise<Person> {
  const response = await fetch(`${server.url}/api/account/${operation}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  if (!response.ok) throw new Error(`${operation}: ${await response.text()}`)
  const { token, user } = (await response.json()) as { token: string; user: { id: string; username: string } }
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return {
    cookie,
    token,
    headers: { cookie, 'x-bridlewise-token': token },
    userId: user.id,
    username: user.username,
  }
}

export async function invite(server: TestServer, admin: Session, role: 'admin' | 'member' = 'member'): Promise<string> {
  const { body } = await call(server, 'user/invite', { headers: admin.headers, input: { role } })
  return (body['invite'] as { code: string }).code
}

export async function join(
  server: TestServer,
  admin: Session,
  given: { readonly username: string; readonly role?: 'admin' | 'member' },
): Promise<Person> {
  const code = await invite(server, admin, given.role)
  return enter(server, 'acceptInvite', { code, username: given.username, password: passphrase })
}
