/** An orderly stop interrupted the runs and dropped their viewers in the same tick: none of them saw the end. */
import { expect, it } from 'vitest'
import { says, streams } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'

it('shows viewers the end of a run that an orderly stop interrupts', async () => {
  await using endpoint = await startScriptedEndpoint({ steps: [streams([says('Half'), { type: 'stall' }])] })
  await using server = await ServerProcess.start()
  const client = await signUp(server.url, server.setupCode)
  const { baseUrl } = endpoint
  const { provider } = need(await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl, models: ['m'] }))
  const { run } = need(await client.run.start({ prompt: 'Do it.', model: { providerId: provider.id, modelId: 'm' } }))

  const kinds: string[] = []
  for await (const frame of client.run.stream({ runId: run.id })) {
    kinds.push(frame.kind)
    if (frame.kind === 'text') void server.kill('SIGTERM')
    if (frame.kind === 'ended') expect(frame.run.status).toBe('interrupted')
  }
  expect(kinds.at(-1)).toBe('ended')
})
