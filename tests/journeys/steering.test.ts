/** A person speaks while a run is at work: into it, behind it, stops it, and goes on after the server was killed. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { Browser, Locator, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { answersWith, calls, finishes, says, streams } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'

describe('a run that is spoken to', () => {
  let server: ServerProcess
  let endpoint: ScriptedEndpoint
  let browser: Browser
  let page: Page
  /** The same chat once more: what is said, is said on the first page. */
  let beside: Page
  let message: Locator
  let waiting: Locator
  const root = mkdtempSync(path.join(tmpdir(), 'steered-'))
  const built = Promise.withResolvers<void>()
  const never = new Promise<void>(() => undefined)

  beforeAll(async () => {
    endpoint = await startScriptedEndpoint({
      steps: [
        streams([says('I am building it.'), { type: 'until', ready: built.promise }, finishes('stop')]),
        answersWith('Only the docs, then.'),
        streams([says('I am testing it.'), { type: 'until', ready: never }, finishes('stop')]),
        streams([calls('execute_command', { command: 'sleep 600' }), finishes('tool_calls')]),
        answersWith('It did not come to anything.'),
      ],
    })
    server = await ServerProcess.start()
    const client = await signUp(server.url, server.setupCode)
    const given = { name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
    need(await client.provider.create(given))
    const { project } = need(await client.project.create({ name: 'steered', path: root }))
    const { run } = need(await client.run.start({ prompt: 'Build it.', projectId: project.id }))
    browser = await launchBrowser()
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    page.setDefaultTimeout(15_000)
    message = page.getByLabel('Message')
    waiting = page.getByRole('list', { name: 'Waiting' })
    await page.goto(`${server.url}/#/chat/${run.chatId}`)
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill('a long enough passphrase')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('I am building it.').waitFor()
    beside = await page.context().newPage()
    beside.setDefaultTimeout(15_000)
    await beside.goto(`${server.url}/#/chat/${run.chatId}`)
    await beside.getByText('I am building it.').waitFor()
    await page.bringToFront()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await endpoint?.close()
    rmSync(root, { recursive: true, force: true })
  })

  it('keeps the words that Escape came upon, and those that were refused', async () => {
    await message.fill('Only the docs.')
    await message.press('Escape')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await message.inputValue()).toBe('Only the docs.')

    const refusal = makeRefusal('waiting_full', { limit: 20 })
    await page.route('**/steer', (route) => route.fulfill({ status: 409, json: { refusal } }), { times: 1 })
    await message.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await message.inputValue()).toBe('Only the docs.')
    expect(await waiting.count()).toBe(0)
  })

  it('shows what was said into it and behind it until a run has it, to be changed and taken back', async () => {
    await message.press('Enter')
    await waiting.getByText('Steers at the next step').waitFor()
    expect(await message.inputValue()).toBe('')
    await page.getByText('Queue', { exact: true }).first().click()
    for (const words of ['And test.', 'Never mind this.']) {
      await message.fill(words)
      await message.press('Enter')
      await waiting.getByText(words).waitFor()
    }
    await shoot('steering')
    await waiting.getByRole('listitem').filter({ hasText: 'Never mind' }).getByRole('button', { name: 'Remove' }).click()
    await waiting.getByText('Never mind').waitFor({ state: 'hidden' })
    await waiting.getByRole('listitem').filter({ hasText: 'And test.' }).getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Words that wait').fill('And test it all.')
    await page.getByRole('button', { name: 'Save' }).click()
    await waiting.getByText('And test it all.').waitFor()
  })

  it('takes in what steers it, and is followed by what was queued', async () => {
    built.resolve()
    await page.getByText('Only the docs, then.').waitFor()
    await page.getByText('I am testing it.').waitFor()
    await waiting.waitFor({ state: 'hidden' })
    const turns = page.getByRole('article', { name: 'Turn' })
    expect(await turns.count()).toBe(2)
    expect(await turns.first().textContent()).toMatch(
      /Build it\.[\s\S]*I am building it\.[\s\S]*Only the docs\.[\s\S]*Only the docs, then\./,
    )
    expect(await turns.last().textContent()).toMatch(/And test it all\.[\s\S]*I am testing it\./)
    await beside.getByText('I am testing it.').waitFor()
  })

  it('leaves what was queued to the person when it is stopped', async () => {
    await message.fill('Clean up.')
    await message.press('Enter')
    await waiting.getByText('Clean up.').waitFor()
    await beside.evaluate('dispatchEvent(new Event("focus"))')
    await beside.getByRole('list', { name: 'Waiting' }).getByText('Clean up.').waitFor()
    await page.getByRole('button', { name: /^Stop/ }).click()
    await waiting.getByText('Kept: the run before it was stopped').waitFor()
    await shoot('kept')
    expect(endpoint.received).toHaveLength(3)
    await waiting.getByRole('button', { name: 'Start now' }).click()
    await page.getByText('sleep 600').first().waitFor()
  })

  it('goes on after the server was killed when the person says so, who first reads what nobody knows', async () => {
    await expect.poll(() => endpoint.received.length).toBe(4)
    await page.locator('[data-row]').filter({ hasText: 'sleep 600' }).waitFor()
    await server.kill()
    await server.restart()
    const unknown = page.getByRole('region', { name: 'Outcome unknown' })
    await unknown.getByText('sleep 600').waitFor({ timeout: 30_000 })
    await shoot('interrupted')
    expect(endpoint.received).toHaveLength(4)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('It did not come to anything.').waitFor()
    expect(endpoint.received).toHaveLength(5)
    expect(endpoint.received[4]?.raw.toString()).toContain('Nobody knows what these did')
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
