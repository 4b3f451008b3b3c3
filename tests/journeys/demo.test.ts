/** The first five minutes of someone without a key: the recorded demo, which says everywhere that it is recorded. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleHome } from '../../server/demo/index.ts'
import { launchBrowser } from '../support/browser.ts'
import { ServerProcess } from '../support/server-process.ts'
import { watchConsole } from './support/console.ts'

const recorded = /recorded words/i

describe('the demo without a key', () => {
  let server: ServerProcess
  let browser: Browser
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    server = await ServerProcess.start()
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    page.setDefaultTimeout(15_000)
    complaints = watchConsole(page)
    await page.goto(server.url)
    await page.getByLabel('Setup code').fill(server.setupCode)
    await page.getByLabel('User name').fill('grace')
    await page.getByLabel('Password', { exact: true }).fill('another long passphrase')
    await page.getByRole('button', { name: 'Create account' }).click()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  it('is one click away, with the suggested task filled in', async () => {
    await page.getByRole('button', { name: 'Try the demo' }).click()
    await page.getByText(recorded).first().waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toContain('Find out why')
  })

  it('runs real tools in the real sandbox on a copy of the sample', async () => {
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .getByText(/^completed/i)
      .first()
      .waitFor({ timeout: 60_000 })
    await page
      .getByRole('button', { name: /edit.*duration\.js/i })
      .first()
      .click()
    await page.getByText('const total = Math.round(milliseconds / 1000)').first().waitFor()
    await page
      .getByText(/exit 0/)
      .first()
      .waitFor()
  }, 90_000)

  it('says on every screen that the words are recorded', async () => {
    const chat = new URL(page.url()).hash
    for (const hash of [chat, '#/projects', '#/timeline', '#/posture', '#/settings']) {
      await page.goto(`${server.url}/${hash}`)
      await page.getByRole('main').waitFor()
      expect(await page.getByText(recorded).count(), hash).toBeGreaterThan(0)
    }
  })

  it('leaves the bundled sample as it was', () => {
    expect(readFileSync(path.join(sampleHome, 'src/duration.js'), 'utf8')).not.toContain('const total = Math.round')
  })

  it('has made the browser complain about nothing', () => {
    expect(complaints).toEqual([])
  })
})
