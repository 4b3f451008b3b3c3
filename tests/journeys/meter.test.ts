/** A person reads how full a chat is and what it came to, pins a goal, saves the table, and goes on after a ceiling. */
import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Locator, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { answersWith } from '../support/script.ts'
import { need, type ScriptClient, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'

describe('the meters of a chat', () => {
  let server: ServerProcess
  let endpoint: ScriptedEndpoint
  let client: ScriptClient
  let browser: Browser
  let page: Page
  let meter: Locator
  let panel: Locator
  let chat: string

  beforeAll(async () => {
    endpoint = await startScriptedEndpoint({ steps: (_request, at) => answersWith(`Answer ${at + 1}.`) })
    server = await ServerProcess.start()
    client = await signUp(server.url, server.setupCode)
    const given = { name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
    const { provider } = need(await client.provider.create(given))
    need(await client.context.setWindow({ providerId: provider.id, modelId: 'scripted', tokens: 20_000 }))
    need(await client.budget.setPrice({ kind: 'custom', model: 'scripted', input: 10, cached: null, output: 0 }))
    const { run } = need(await client.run.start({ prompt: 'Tell me how it stands.' }))
    chat = `${server.url}/#/chat/${run.chatId}`
    browser = await launchBrowser()
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    page.setDefaultTimeout(15_000)
    meter = page.getByRole('button', { name: /^Context: / })
    panel = page.getByRole('dialog', { name: 'Context and spend' })
    await page.goto(chat)
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill('a long enough passphrase')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Answer 1.').waitFor()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await endpoint?.close()
  })

  it('say how full the window was, what it is made of, and what was spent', async () => {
    await expect.poll(() => meter.textContent()).toMatch(/context \d+ %\s*\$0\.00/)
    await meter.click()
    await panel.getByText('You set what this model takes.').waitFor()
    expect(await panel.textContent()).toMatch(
      /of\s*20,000\s*tokens[\s\S]*System prompt[\s\S]*What was said[\s\S]*1 model call[\s\S]*for the day/,
    )
    await shoot('meter')
  })

  it('pin a goal that stands in the next request', async () => {
    await panel.getByRole('button', { name: 'Pin a goal' }).click()
    await panel.getByLabel('What this chat is for').fill('Ship the parser.')
    await panel.getByRole('button', { name: 'Pin goal' }).click()
    await panel.getByRole('button', { name: 'Take off' }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await page.getByLabel('Message').fill('And now?')
    await page.getByLabel('Message').press('Enter')
    await page.getByText('Answer 2.').waitFor()
    expect(endpoint.received[1]?.raw.toString()).toContain('Ship the parser.')
  })

  it('stop at a ceiling, say which, and go on when they are told to', async () => {
    const { ceilings } = need(await client.budget.get({}))
    need(await client.budget.setCeilings({ ...ceilings, chatCalls: 2 }))
    await page.getByLabel('Message').fill('Go on.')
    await page.getByLabel('Message').press('Enter')
    await page.getByText('Paused. No file was changed before that.').waitFor()
    await page.getByRole('paragraph').filter({ hasText: 'The chat ceiling is 2 model calls: 2 model calls are used' }).waitFor()
    await expect.poll(() => meter.textContent()).toContain('ceiling reached')
    await meter.click()
    await panel.getByText('Reached:').waitFor()
    await shoot('ceiling')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await shoot('paused')
    expect(endpoint.received).toHaveLength(2)
    need(await client.budget.setCeilings(ceilings))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Answer 3.').waitFor()
  })

  it('say that what is short needs no summary, and ask no model for one', async () => {
    await meter.click()
    await panel.getByRole('button', { name: 'Compact now' }).click()
    await page.getByRole('paragraph').filter({ hasText: 'There is nothing to summarise' }).waitFor()
    expect(endpoint.received).toHaveLength(3)
  })

  it('lead to the budget, whose table is saved as a file', async () => {
    await meter.click()
    await panel.getByRole('link', { name: 'Open budget' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const file = await (await saved).path()
    expect(await readFile(file, 'utf8')).toMatch(/^day,chat,project,model,usd[\s\S]*"scripted",0\.003/)
    await page.getByText('1 line, all there is.').waitFor()
    await shoot('budget')
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
