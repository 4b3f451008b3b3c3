/** A person watches a run give tasks to children, reads what each did, and finds its entries in the record. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { answersWith, byConversation, calls, callsTool, finishes, says, streams, uses } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { watchConsole } from './support/console.ts'

const tasks = {
  look: 'Find out who calls parseISO, and say where.',
  edit: 'Give the parser the zone that it drops, in src/date.ts.',
  stop: 'Read all of the changelog.',
}

describe('tasks of a run', () => {
  let server: ServerProcess
  let endpoint: ScriptedEndpoint
  let browser: Browser
  let page: Page
  let complaints: string[]
  const released = Promise.withResolvers<void>()
  const root = mkdtempSync(path.join(tmpdir(), 'children-'))

  beforeAll(async () => {
    mkdirSync(path.join(root, 'src'))
    writeFileSync(path.join(root, 'src/date.ts'), 'export const parse = (text: string) => parseISO(text)\n')
    writeFileSync(path.join(root, 'src/main.ts'), "import { parse } from './date.ts'\nparse('2026-01-01')\n")
    endpoint = await startScriptedEndpoint({ models: ['scripted'], steps: conversation(released.promise) })
    server = await ServerProcess.start()
    const client = await signUp(server.url, server.setupCode)
    const provider = need(
      await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }),
    ).provider
    const { project } = need(await client.project.create({ name: 'dates', path: root }))
    const model = { providerId: provider.id, modelId: 'scripted' }
    const { run } = need(await client.run.start({ prompt: 'Fix the zone.', projectId: project.id, model }))
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
    released.resolve()
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await endpoint?.close()
    rmSync(root, { recursive: true, force: true })
  })

  it('stand open while they run, each with its own words and rows', async () => {
    const editing = page.getByRole('region', { name: `Task: ${tasks.edit}` })
    await editing.getByText('The zone is dropped').waitFor()
    await editing.getByText('may change src/date.ts').waitFor()
    await page.getByRole('region', { name: `Task: ${tasks.look}` }).waitFor({ state: 'hidden' })
    await shoot('children-running')
    released.resolve()
    await page.getByText('The parser keeps the zone now.').waitFor()
    await page.getByText('Completed. 1 file was changed.').waitFor()
    await editing.waitFor({ state: 'hidden' })
    expect(readFileSync(path.join(root, 'src/date.ts'), 'utf8')).toContain('zone')
  })

  it('say what they did and took, and how one was cut short', async () => {
    for (const task of Object.values(tasks)) await page.getByRole('button', { name: `Assign ${task}` }).click()
    const looking = page.getByRole('region', { name: `Task: ${tasks.look}` })
    await looking.getByText('only reads').waitFor()
    await looking.getByText('Only src/date.ts does.').waitFor()
    await page.getByText('The task stopped at its limit of 1 step. What it did stands.').first().waitFor()
    await shoot('children-done')
  })

  it('are found in the record, one further in', async () => {
    const editing = page.getByRole('region', { name: `Task: ${tasks.edit}` })
    await page.setViewportSize({ width: 1440, height: 900 })
    await editing.getByRole('button', { name: 'Show entries' }).click()
    await page.getByText(/entries of Give the parser/).waitFor()
    await shoot('children-entries')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Show the whole run' }).click()
    await page.getByText('start run').first().waitFor()
    await page.goto(`${server.url}/#/timeline`)
    await page.getByText('child, level 1:').first().waitFor({ state: 'attached' })
    await shoot('children-timeline')
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

function conversation(released: Promise<void>) {
  const edits = [{ path: 'src/date.ts', old: 'parseISO(text)', new: "parseISO(text, { zone: 'keep' })" }]
  const read = callsTool('read_file', { path: 'src/date.ts' })
  const given = [
    { task: tasks.look },
    { task: tasks.edit, paths: ['src/date.ts'], tools: ['read_file', 'edit'] },
    { task: tasks.stop, budget: { requests: 1 } },
  ]
  return byConversation({
    'Fix the zone.': [
      streams([
        says('Three things can be done at once.'),
        ...given.map((task, index) => calls('delegate', task, { index })),
        finishes('tool_calls'),
        uses(900, 80),
      ]),
      answersWith('The parser keeps the zone now.'),
    ],
    [tasks.look]: [callsTool('search_text', { pattern: 'parseISO' }), answersWith('Only src/date.ts does.')],
    [tasks.edit]: [
      read,
      streams([
        says('The zone is dropped where the text is parsed. '),
        { type: 'until', ready: released },
        calls('edit', { edits }),
        finishes('tool_calls'),
        uses(1_800, 60),
      ]),
      answersWith('It is kept now: src/date.ts passes it on.'),
    ],
    [tasks.stop]: [callsTool('list_files', {})],
  })
}
