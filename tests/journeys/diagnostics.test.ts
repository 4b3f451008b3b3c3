/** An administrator reads the diagnostics, leaves a section out, and saves exactly what was read; a member sees no such place. */
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { diagnosticsSchema } from '@bridlewise/shared/wire'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { enter, join } from '../support/people.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'
import { watchConsole } from './support/console.ts'

describe('the diagnostics', () => {
  let server: TestServer
  let browser: Browser
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    server = await startTestServer()
    const admin = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
    await join(server, admin, { username: 'grace' })
    browser = await launchBrowser()
    page = await signIn('ada')
    complaints = watchConsole(page)
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  async function signIn(username: string): Promise<Page> {
    const other = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })).newPage()
    other.setDefaultTimeout(15_000)
    await other.goto(server.url)
    await other.getByLabel('User name').fill(username)
    await other.getByLabel('Password', { exact: true }).fill(passphrase)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: 'First steps' }).waitFor()
    return other
  }

  it('are a place for an administrator, and none for a member', async () => {
    await page.getByRole('link', { name: 'Diagnostics' }).click()
    await page.getByRole('button', { name: 'Save as a file' }).waitFor()
    const member = await signIn('grace')
    expect(await member.getByRole('link', { name: 'Diagnostics' }).count()).toBe(0)
    await member.goto(`${server.url}/#/diagnostics`)
    await member.getByText('administrator').first().waitFor()
    expect(await member.getByRole('button', { name: 'Save as a file' }).count()).toBe(0)
    await member.context().close()
  })

  it('are saved byte for byte as they stand on the screen, without the section that was left out', async () => {
    await page.getByRole('checkbox', { name: 'Security events' }).uncheck()
    await page.getByRole('region', { name: 'Security events' }).getByText('left out').waitFor()
    const shown = (
      await page.getByRole('region', { name: 'What is saved, byte for byte' }).locator('pre').allTextContents()
    ).join('')
    const digest = hash('sha256', shown)
    await page.getByText(digest).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a file' }).click(),
    ])
    const saved = readFileSync(await download.path(), 'utf8')
    expect(saved).toBe(shown)
    const { leftOut, sections } = diagnosticsSchema.parse(JSON.parse(saved))
    expect(leftOut).toEqual(['events'])
    expect(sections.events).toBeUndefined()
    expect(sections.findings?.some(({ evidence }) => evidence.includes('<data home>'))).toBe(true)
    expect(saved).not.toContain('ada')
    expect(download.suggestedFilename()).toMatch(/^bridlewise-diagnostics-[\d-]{16}\.json$/)
    expect(complaints).toEqual([])
  })

  it('fit a phone and both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const spill = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect(spill, `${colorScheme} ${width}`).toBe(0)
        await keepShot(page, `diagnostics-${colorScheme}-${width}`)
      }
    }
  })
})

/** Pictures for whoever wants to look, where they ask for them. */
async function keepShot(page: Page, name: string): Promise<void> {
  const folder = process.env['BRIDLEWISE_SHOTS']
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
}
