/** A person goes back over a run that edited and formatted, sees what stays theirs, and brings it back. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { readTree } from '../support/rewind-room.ts'
import { answersWith, calls, finishes, streams } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { watchConsole } from './support/console.ts'

const before = { 'a.txt': 'one\n', 'b.txt': 'two\n' }
const format = "sed -i 's/$/;/' a.txt && echo made > made.txt"

describe('going back over a run', () => {
  let server: ServerProcess
  let endpoint: ScriptedEndpoint
  let browser: Browser
  let page: Page
  let complaints: string[]
  const root = mkdtempSync(path.join(tmpdir(), 'rewound-'))

  beforeAll(async () => {
    for (const [name, text] of Object.entries(before)) writeFileSync(path.join(root, name), text)
    endpoint = await startScriptedEndpoint({ models: ['scripted'], steps: conversation() })
    server = await ServerProcess.start()
    const client = await signUp(server.url, server.setupCode)
    const provider = need(
      await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }),
    ).provider
    const { project } = need(await client.project.create({ name: 'rewound', path: root }))
    const model = { providerId: provider.id, modelId: 'scripted' }
    const { run } = need(await client.run.start({ prompt: 'Shout, then format.', projectId: project.id, model }))
    for await (const frame of client.run.stream({ runId: run.id })) if (frame.kind === 'ended') break
    writeFileSync(path.join(root, 'b.txt'), 'mine\n')
    writeFileSync(path.join(root, 'untracked.bin'), 'theirs')
    browser = await launchBrowser()
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    complaints = watchConsole(page)
    page.setDefaultTimeout(15_000)
    await page.goto(`${server.url}/#/chat/${run.chatId}`)
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill('a long enough passphrase')
    await page.getByRole('button', { name: 'Sign in' }).click()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await endpoint?.close()
    rmSync(root, { recursive: true, force: true })
  })

  it('shows one conflict, puts the rest back, and leaves what is theirs', async () => {
    await page.getByRole('button', { name: 'Rewind', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It was changed since.').waitFor()
    await dialog.getByText('What changed since').waitFor()
    await shoot('rewind-plan')
    await dialog.getByRole('button', { name: 'Rewind', exact: true }).click()
    await page.getByText('Conversation and files went back: 2 files put back, 1 file left alone').waitFor()
    await page.getByText('Taken back: Shout, then format.').waitFor()
    expect(readTree(root)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'mine\n', 'untracked.bin': 'theirs' })
    await shoot('rewound')
  })

  it('brings it all back', async () => {
    await page.getByRole('button', { name: 'Bring back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click()
    await page.getByRole('button', { name: 'Rewind', exact: true }).waitFor()
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('ONE;\n')
    expect(readFileSync(path.join(root, 'made.txt'), 'utf8')).toBe('made\n')
  })

  it('puts the words into the composer to be said differently, and forks', async () => {
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByText('Conversation only').click()
    await page.getByRole('button', { name: 'Go back and edit' }).click()
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('Shout, then format.')
    await page.getByRole('button', { name: 'Bring back' }).last().click()
    await page.getByText('Conversation only').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click()
    await page.getByRole('button', { name: 'Fork' }).click()
    await page.getByText('Fork of').first().waitFor()
    await page.getByText('Shout, then format.').first().waitFor()
  })

  it('saves the chat as a text that was shown before', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: /^Chat / }).click()
    await page.getByRole('menuitem', { name: 'Save as text' }).click()
    await page.getByText('Nothing had to be replaced.').waitFor()
    await shoot('chat-text')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as Markdown' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/\.md$/)
    expect(readFileSync(await file.path(), 'utf8')).toContain('## You, ')
    expect(complaints).toEqual([])
  })

  async function shoot(name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const spill = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect(spill, `${name} ${colorScheme} ${width}`).toBe(0)
        const shots = process.env['BRIDLEWISE_SHOTS']
        if (!shots) continue
        mkdirSync(shots, { recursive: true })
        await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}-${width}.png`) })
      }
    }
  }
})

function conversation() {
  const edits = [
    { path: 'a.txt', old: 'one', new: 'ONE' },
    { path: 'b.txt', old: 'two', new: 'TWO' },
  ]
  return [
    streams([calls('read_file', { path: 'a.txt' }), finishes('tool_calls')]),
    streams([calls('read_file', { path: 'b.txt' }), finishes('tool_calls')]),
    streams([calls('edit', { edits }), finishes('tool_calls')]),
    streams([calls('execute_command', { command: format }), finishes('tool_calls')]),
    answersWith('Shouted and formatted.'),
  ]
}
