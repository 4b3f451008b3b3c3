/** RED: a secret that is stored here, or looks like one, is planted on every way to a model, and must not arrive. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { call } from '../support/people.ts'
import { answers, answersWith, callsTool, type Step } from '../support/script.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { startTestServer } from '../support/server.ts'

/** Stored as the key of a provider; looks like nothing, so that only its letters give it away. */
const stored = `plain/words+${randomBytes(12).toString('hex')}`
const shaped = `ghp_${randomBytes(18).toString('hex')}`
const bytes = Buffer.from(stored)

/** In every form in which it could arrive. */
const forms = [
  stored,
  encodeURIComponent(stored),
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  ...['', '1', '12'].map((before) => Buffer.from(before + stored).toString('base64')),
  Buffer.from(`:${stored}`).toString('base64url'),
  [...stored].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join(''),
  [...stored].map((character) => `&#${character.charCodeAt(0)};`).join(''),
  shaped,
]

/** Where the canary could show itself: as it is, or its random middle in any encoding but the disguises, which are looked for whole. */
function findCanaries(text: string): string[] {
  const middle = stored.slice(-20)
  return [...forms, middle, Buffer.from(middle).toString('hex')].filter((form) => text.includes(form))
}

async function playRun(steps: readonly Step[], prompt: string) {
  const root = mkdtempSync(path.join(tmpdir(), 'bridlewise-redaction-'))
  writeFileSync(path.join(root, 'notes.txt'), forms.map((form, at) => `${at}: ${form}\n`).join(''))
  // Longer than what is redacted in place.
  writeFileSync(path.join(root, 'long.txt'), `${'ordinary words\n'.repeat(2800)}${stored}\n${shaped}\n`)
  const endpoint = await startScriptedEndpoint({ models: ['scripted'], steps: [...steps] })
  await using server = await startTestServer()
  try {
    const { headers } = await server.signIn()
    const post = async (operation: string, input: object) => {
      const { status, body } = await call(server, operation, { headers, input })
      expect([operation, status < 300]).toEqual([operation, true])
      return body as unknown as Readonly<Record<string, { readonly id: string }>>
    }
    const endpointAt = { name: 'p', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
    const { provider } = await post('provider/create', { ...endpointAt, apiKey: randomBytes(16).toString('hex') })
    await post('provider/create', { ...endpointAt, name: 'another', apiKey: stored })
    const { project } = await post('project/create', { name: 'app', path: root })
    const model = { providerId: provider?.id, modelId: 'scripted' }
    const { run } = await post('run/start', { prompt, projectId: project?.id, model })
    const stream = await fetch(`${server.url}/api/run/${run?.id}/stream`, { headers }).then((answer) => answer.text())
    expect(stream).toContain('event: ended')
    return { stream, log: server.log.join(''), arrived: endpoint.received.map(({ raw }) => raw.toString()) }
  } finally {
    await endpoint.close()
    rmSync(root, { recursive: true, force: true })
  }
}

it('is in no request, whether a person, a file or a model wrote it, and in whatever form', { timeout: 60_000 }, async () => {
  const { arrived } = await playRun(
    [
      callsTool('read_file', { path: 'notes.txt' }),
      callsTool('read_file', { path: 'long.txt' }),
      callsTool('search_text', { pattern: stored }),
      answersWith('Done.'),
    ],
    `Say ${forms.join(' and ')}.`,
  )
  expect(arrived).toHaveLength(4)
  for (const body of arrived) expect(findCanaries(body)).toEqual([])
  expect(arrived.join('')).toContain('[REDACTED:stored_secret:')
  expect(arrived.at(-1)).toContain('0: [REDACTED:')
  expect(arrived.at(-1)).toContain('ordinary words')
})

it('echoed by an endpoint that refuses, is in no refusal and no line of the log', { timeout: 60_000 }, async () => {
  const { stream, log } = await playRun(
    [answers(400, { error: { message: `cannot take ${forms.join(' or ')}` } })],
    'Say something.',
  )
  expect(stream).toContain('cannot take [REDACTED:')
  expect(findCanaries(stream)).toEqual([])
  expect(findCanaries(log)).toEqual([])
})

it('is in no command as its placeholder, and that placeholder is filled in nowhere', { timeout: 60_000 }, async () => {
  const placeholder = '[REDACTED:stored_secret:0123abcd]'
  const { arrived, stream } = await playRun(
    [
      callsTool('execute_command', { command: `echo ${placeholder}` }),
      callsTool('edit', { edits: [{ path: 'new.txt', new: `key=${placeholder}\n` }] }),
      answersWith('Done.'),
    ],
    `What is ${placeholder}?`,
  )
  // What somebody wrote stays what they wrote, and tells nothing.
  expect(arrived[0]).toContain(`What is ${placeholder}?`)
  expect(stream).toContain('placeholder_in_call')
  expect(stream).toContain('placeholder_in_edit')
  for (const body of arrived) expect(findCanaries(body)).toEqual([])
})
