/** The typed client as a person's first visit makes it: the setup, then cookie and token on every call. */
import { blocks } from '@bridlewise/shared'
import { type Client, createClient } from '@bridlewise/shared/client'
import { ok, type Result } from '@bridlewise/shared/refusals'

export type Caller = Client<typeof blocks>

export interface FirstPerson {
  readonly code: string
  readonly username: string
  readonly password: string
}

/**
 * Do the setup of a fresh server and come back signed in.
 * Refuses: what `account.setup` refuses.
 */
export async function setUp(origin: string, person: FirstPerson): Promise<Result<Caller>> {
  const cookies: string[] = []
  const headers: Record<string, string> = {}
  const client = createClient(blocks, {
    origin,
    headers: () => headers,
    fetch: async (...request) => {
      const response = await fetch(...request)
      cookies.push(...response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? ''))
      return response
    },
  })
  const signedIn = await client.account.setup(person)
  if (!signedIn.ok) return signedIn
  headers['cookie'] = cookies.join('; ')
  headers['x-bridlewise-token'] = signedIn.value.token
  return ok(client)
}
