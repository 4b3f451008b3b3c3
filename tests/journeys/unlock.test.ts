/** A server whose keys are under a passphrase is started, unlocked in a browser, and is as it was left. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { protectKeys } from '../../server/storage/index.ts'
import { launchBrowser } from '../support/browser.ts'
import { need } from '../support/script-client.ts'
import { passphrase as password } from '../support/server.ts'
import { ServerProcess } from '../support/server-process.ts'

const passphrase = 'five plain words for keys'

describe('a locked server', () => {
  let server: ServerProcess
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    server = await ServerProcess.start()
    browser = await launchBrowser()
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    page.setDefaultTimeout(20_000)
    await page.goto(server.url)
    await page.getByLabel('Setup code').fill(server.setupCode)
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    // Nothing is under way that could tell the page: it has to look for itself.
    await page.waitForLoadState('networkidle')
    await server.kill('SIGTERM')
    need(await protectKeys(server.homes, passphrase))
    await server.restart()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  it('says in the terminal that it is locked, and where to unlock it', () => {
    expect(server.log).toContain('It is locked. Open the address')
  })

  it('asks the open page for the passphrase, says when it is wrong, and goes on with the session of before', async () => {
    await page.getByRole('heading', { name: 'Unlock' }).waitFor()
    await shoot('unlock')
    expect(await page.getByLabel('Passphrase').getAttribute('autocomplete')).toBe('current-password')
    await page.getByLabel('Passphrase').fill('another one')
    await page.keyboard.press('Enter')
    await page.getByText('The key home does not open').waitFor()
    await shoot('unlock-wrong')
    await page.getByLabel('Passphrase').fill(passphrase)
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    expect(server.log).toContain('It is unlocked.')
  })

  it('leads a new browser from the unlock to the sign-in and on, by keyboard alone', async () => {
    await server.kill('SIGTERM')
    await server.restart()
    const phone = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
    phone.setDefaultTimeout(20_000)
    await phone.goto(server.url)
    await phone.getByRole('heading', { name: 'Unlock' }).waitFor()
    await phone.keyboard.type(passphrase)
    await phone.keyboard.press('Enter')
    await phone.getByRole('heading', { name: 'Sign in' }).waitFor()
    await phone.keyboard.type('ada')
    await phone.keyboard.press('Tab')
    await phone.keyboard.type(password)
    await phone.keyboard.press('Enter')
    await phone.getByRole('heading', { name: 'First steps' }).waitFor()
  })

  /** Both widths and both themes, where somebody asked to see them. */
  async function shoot(name: string): Promise<void> {
    const directory = process.env['BRIDLEWISE_SHOTS']
    if (!directory) return
    mkdirSync(directory, { recursive: true })
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      for (const [width, height] of [
        [390, 844],
        [1440, 900],
      ] as const) {
        await page.setViewportSize({ width, height })
        await page.screenshot({ path: path.join(directory, `${name}-${theme}-${width}.png`) })
      }
    }
  }
})
