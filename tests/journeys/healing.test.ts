/** A person reads why a message was left out of requests, and has it sent again. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { answers, answersWith } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'

let server: ServerProcess
let endpoint: ScriptedEndpoint
let browser: Browser
let page: Page

beforeAll(async () => {
  const steps = [
    answersWith('word '.repeat(400)),
    answers(413, 'Payload Too Large'),
    answersWith('Second.'),
    answersWith('Third.'),
  ]
  endpoint = await startScriptedEndpoint({ steps })
  server = await ServerProcess.start()
  const client = await signUp(server.url, server.setupCode)
  need(await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }))
  const { run } = need(await client.run.start({ prompt: 'Say much.' }))
  browser = await launchBrowser()
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  page.setDefaultTimeout(15_000)
  await page.goto(`${server.url}/#/chat/${run.chatId}`)
  await page.getByLabel('User name').fill('ada')
  await page.getByLabel('Password', { exact: true }).fill('a long enough passphrase')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('word word').first().waitFor()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
  await endpoint?.close()
})

it('what was left out says so and why, and goes with the next request once its person wants it', async () => {
  await say('Go on.', 'Second.')
  await page.getByText('Left out of requests: an answer of the model').click()
  await page.getByText('The endpoint did not say which message it meant. This is the largest of the request.').waitFor()
  await shoot()
  const again = page.getByRole('button', { name: 'Send it again from now on' })
  await again.click()
  await again.waitFor({ state: 'hidden' })
  await say('And now?', 'Third.')
  expect(endpoint.received.map(({ raw }) => raw.includes('word word'))).toEqual([false, true, false, true])
})

async function say(words: string, answer: string): Promise<void> {
  await page.getByLabel('Message').fill(words)
  await page.getByLabel('Message').press('Enter')
  await page.getByText(answer).waitFor()
}

async function shoot(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const spill = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      expect(spill, `${colorScheme} ${width}`).toBe(0)
      const shots = process.env['BRIDLEWISE_SHOTS']
      if (!shots) continue
      mkdirSync(shots, { recursive: true })
      await page.screenshot({ path: path.join(shots, `healing-${colorScheme}-${width}.png`) })
    }
  }
}
