/** A person reads what left for a model, asks whether some words ever did, and keeps a file from it for good. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { answersWith, callsTool } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { watchConsole } from './support/console.ts'

const [sent, unsent] = [`plan ${randomBytes(6).toString('hex')}`, `plan ${randomBytes(6).toString('hex')}`]

/** Has the shape of a key, belongs to nobody, and is new for each run of the test. */
const key = `ghp_${randomBytes(18).toString('hex')}`

describe('what was sent', () => {
  let server: ServerProcess
  let endpoint: ScriptedEndpoint
  let browser: Browser
  let page: Page
  let complaints: string[]
  const root = mkdtempSync(path.join(tmpdir(), 'sent-'))

  beforeAll(async () => {
    mkdirSync(path.join(root, 'notes'))
    writeFileSync(path.join(root, 'notes/plan.txt'), `first\n${sent}\nkey: ${key}\n`)
    writeFileSync(path.join(root, 'notes/other.txt'), `${unsent}\n`)
    writeFileSync(path.join(root, 'AGENTS.md'), 'Be brief.\n')
    const read = callsTool('read_file', { path: 'notes/plan.txt' })
    const steps = [read, answersWith('It is a plan.'), read, answersWith('I may not read it.'), answersWith('A quiet greeting.')]
    endpoint = await startScriptedEndpoint({ models: ['scripted'], steps })
    server = await ServerProcess.start()
    const client = await signUp(server.url, server.setupCode)
    const given = { name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
    const { provider } = need(await client.provider.create(given))
    need(await client.provider.choose({ model: { providerId: provider.id, modelId: 'scripted' } }))
    need(await client.project.create({ name: 'notes', path: root }))
    browser = await launchBrowser()
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    complaints = watchConsole(page)
    page.setDefaultTimeout(15_000)
    await page.goto(`${server.url}/#/sent`)
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

  it('is nothing before the first task', async () => {
    await page.getByText('Nothing has left this machine').waitFor()
    await page.getByText('No rule yet.').waitFor()
    await shoot('sent-empty')
  })

  it('names the file that a task had read, on the way from its turn', async () => {
    await page.goto(`${server.url}/#/projects`)
    await page.getByRole('button', { name: 'New chat here' }).click()
    await send('Read the plan.')
    await page.getByText('It is a plan.').first().waitFor()
    await page.getByRole('button', { name: 'What left' }).click()
    const pane = page.getByRole('tabpanel').first()
    await pane.getByRole('button', { name: 'What it was made of' }).last().click()
    await pane.getByText('notes/plan.txt 1–3').waitFor()
    await shoot('sent-evidence')
    await page.getByRole('link', { name: 'All that this run sent' }).click()
    const newest = page.locator('[data-request]').first()
    await newest.waitFor()
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    await newest.getByText('notes/plan.txt 1–3').waitFor()
    await newest.getByText('AGENTS.md 1').waitFor()
    await newest.getByText('read_file').first().waitFor()
    await shoot('sent-run')
  })

  it('tells words that left from words that did not, and how far it looked', async () => {
    await page.getByRole('button', { name: 'Show all runs' }).click()
    await search(sent)
    await page.getByText('Sent in 1 request').waitFor()
    await page.getByRole('list', { name: 'Requests that held it' }).getByText('notes/plan.txt 1–3').waitFor()
    await shoot('sent-found')
    await search(unsent)
    await page.getByText('Not found in what was sent').waitFor()
    await page.getByText('all that are kept').waitFor()
    await page.getByRole('radio', { name: 'file', exact: true }).check()
    await search('notes')
    await page.getByText('Sent in 1 request').waitFor()
  })

  it('is exported as lines that name the body by its digest', async () => {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Export what a run/ }).click()
    expect((await saved).suggestedFilename()).toMatch(/^bridlewise-sent-run_.*\.jsonl$/)
  })

  it('holds no line of a file any more once a rule keeps it, tried before it is one', async () => {
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByRole('textbox', { name: 'Path' }).fill('notes/plan.*')
    await page.getByLabel('And on a text').fill(`printed: ${sent}`)
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    const trial = page.getByRole('status', { name: 'What the rule would keep back' })
    await trial.getByText('1 file').waitFor()
    await trial.getByText('printed: [Kept back by the rule: notes/plan.*]').waitFor()
    await shoot('sent-rule')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByRole('button', { name: 'Remove the rule notes/plan.*' }).waitFor()
    await page.goto(`${server.url}/#/projects`)
    await page.getByRole('button', { name: 'New chat here' }).click()
    await send('Read the plan again.')
    await page.getByText('I may not read it.').first().waitFor()
    const last = endpoint.received.at(-1)?.raw.toString() ?? ''
    expect(last).toContain('kept from every model by the rule notes/plan.*')
    expect(last).not.toContain(sent)
  })

  it('holds no word of their own any more once they have it replaced, tried before it is', async () => {
    const client = `Client ${randomBytes(4).toString('hex')}`
    await page.goto(`${server.url}/#/sent`)
    await page.getByRole('button', { name: 'Add word or pattern' }).click()
    await page.getByRole('radio', { name: 'pattern', exact: true }).check()
    await page.getByRole('textbox', { name: 'Name' }).fill('The client')
    await page.getByRole('textbox', { name: 'Pattern' }).fill('(Client )+x')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('there are no groups').first().waitFor()
    await shoot('sent-redaction-refused')
    await page.getByRole('radio', { name: 'word', exact: true }).check()
    await page.getByRole('textbox', { name: 'Word', exact: true }).fill(client)
    await page.getByLabel(/^On a text/).fill(`for ${client}, ${key}`)
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByRole('status', { name: 'What would be replaced' }).getByText('own text × 1').waitFor()
    await shoot('sent-redaction')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Remove The client' }).waitFor()
    await shoot('sent-redactions')
  })

  it('waits until they have looked, where they want that, and leaves as it was shown', async () => {
    await page.goto(`${server.url}/#/sent`)
    await page.getByLabel('notes', { exact: true }).check()
    const before = endpoint.received.length
    await page.goto(`${server.url}/#/projects`)
    await page.getByRole('button', { name: 'New chat here' }).click()
    await send('Wait for me.')
    await page.getByText('Request 1 waits until you have looked').waitFor()
    await shoot('sent-held')
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('"Wait for me."').waitFor()
    await shoot('sent-preview')
    expect(endpoint.received.length).toBe(before)
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('A quiet greeting.').first().waitFor()
    expect(endpoint.received.length).toBe(before + 1)
    // What is written while a run goes on steers it.
    await page.getByRole('button', { name: 'Rewind', exact: true }).waitFor()
  })

  it('is not sent when they stop the run instead, nor by a server that was killed', async () => {
    const before = endpoint.received.length
    await send('Stop me.')
    await page.getByRole('region', { name: 'A request that waits' }).getByRole('button', { name: 'Stop the run' }).click()
    await page.getByText('Request 1 waits until you have looked').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Rewind', exact: true }).nth(1).waitFor()
    await send('Lose me.')
    await page.getByText('Request 1 waits until you have looked').waitFor()
    await server.kill()
    await server.restart()
    await page.getByRole('button', { name: 'Rewind', exact: true }).nth(2).waitFor()
    await page.getByText('interrupted').first().waitFor()
    expect(endpoint.received.length).toBe(before)
  })

  it('is refused in words when the run of an address is not theirs', async () => {
    await page.goto(`${server.url}/#/sent/run_00000000000000000000000000`)
    await page.getByRole('alert').waitFor()
    await shoot('sent-refused')
    expect(complaints.filter((line) => !/404|400.*redaction/.test(line))).toEqual([])
  })

  async function send(prompt: string): Promise<void> {
    await page.getByLabel('Message').fill(prompt)
    await page.getByLabel('Message').press('Enter')
  }

  async function search(words: string): Promise<void> {
    await page.getByLabel(/^(Words|File or directory)$/).fill(words)
    await page.getByRole('button', { name: 'Search' }).click()
  }

  async function shoot(name: string): Promise<void> {
    const shots = process.env['BRIDLEWISE_SHOTS']
    for (const colorScheme of shots ? (['light', 'dark'] as const) : (['light'] as const)) {
      await page.emulateMedia({ colorScheme })
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const spill = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect(spill, `${name} ${colorScheme} ${width}`).toBe(0)
        if (!shots) continue
        mkdirSync(shots, { recursive: true })
        await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}-${width}.png`) })
      }
    }
  }
})
