/** A table of spend is opened in a spreadsheet, so what was named by somebody else must stay a text there. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { call, enter, join, type Person } from '../support/people.ts'
import { answersWith } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

const formula = '=HYPERLINK("http://x.invalid";"look")'

let server: TestServer
let endpoint: ScriptedEndpoint
let ada: Person

beforeAll(async () => {
  endpoint = await startScriptedEndpoint({ steps: () => answersWith('ok') })
  server = await startTestServer({})
  ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await endpoint.close()
})

const ask = (who: Person, path: string, input?: object) =>
  call(server, path, { headers: who.headers, ...(input ? { input } : {}) })
const linesOf = async (who: Person) => String((await ask(who, 'budget/export')).body['csv']).split('\r\n')

it('a chat and a model that are named as formulas are texts in the table, and figures are figures', async () => {
  const given = { name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['@scripted'] }
  const { provider } = (await ask(ada, 'provider/create', given)).body as { provider: { id: string } }
  const model = { providerId: provider.id, modelId: '@scripted' }
  const { run } = (await ask(ada, 'run/start', { prompt: 'hello', model })).body as { run: { id: string; chatId: string } }
  await ask(ada, `chat/${run.chatId}/rename`, { title: formula })
  const [titles, line] = await vi.waitFor(
    async () => {
      const lines = await linesOf(ada)
      expect(lines).toHaveLength(3)
      return lines
    },
    { timeout: 20_000 },
  )
  expect(titles).toContain('day,chat,project,model,usd')
  expect(line).toMatch(/^\d{4}-\d{2}-\d{2},/)
  expect(line).toContain(`,"'=HYPERLINK(""http://x.invalid"";""look"")","","'@scripted",,1,1,100,0,1,0,`)
})

it('nobody is given a line of what another spent', async () => {
  const bob = await join(server, ada, { username: 'bob' })
  expect(await linesOf(bob)).toEqual([expect.stringContaining('day,chat'), ''])
  expect((await call(server, 'budget/export')).status).toBe(401)
})
