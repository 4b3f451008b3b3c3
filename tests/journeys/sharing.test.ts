/** One person shares a project, another works in it and loses it: two browsers at one server. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { enter, join, type Person } from '../support/people.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

describe('a shared project', () => {
  let server: TestServer
  let browser: Browser
  let ada: Page
  let grace: Page

  beforeAll(async () => {
    server = await startTestServer({ environment: { HARNESS_WEB_LLM_FIXTURES: '1' }, fixturePaceMs: 20 })
    const owner = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
    await join(server, owner, { username: 'grace' })
    await addSample(owner)
    browser = await launchBrowser()
    ada = await openPage('ada', { width: 1440, height: 900 })
    grace = await openPage('grace', { width: 390, height: 844 })
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  async function addSample(owner: Person): Promise<void> {
    const headers = { ...owner.headers, 'content-type': 'application/json' }
    await fetch(`${server.url}/api/project/demo`, { method: 'POST', headers, body: '{}' })
  }

  async function openPage(username: string, viewport: { width: number; height: number }): Promise<Page> {
    const page = await (await browser.newContext({ viewport })).newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(server.url)
    await page.getByLabel('User name').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(passphrase)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('User name').waitFor({ state: 'hidden' })
    await page.goto(`${server.url}/#/projects`)
    await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor()
    return page
  }

  it('is shared by user name, and nobody is told whether a name is known', async () => {
    await ada.getByRole('button', { name: 'Share spoken-durations-1' }).click()
    const dialog = ada.getByRole('dialog', { name: 'Share spoken-durations-1' })
    await dialog.getByText('Nobody else has it.').waitFor()
    for (const name of ['grace', 'gracie']) {
      await dialog.getByLabel('User name').fill(name)
      await dialog.getByRole('button', { name: 'Share project' }).click()
      await dialog.getByRole('button', { name: `Stop sharing with ${name}`, exact: true }).waitFor()
    }
    await shot(ada, 'sharing-dialog')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await ada.getByText('shared with 2 people').waitFor()
    await shot(ada, 'sharing-owner')
  })

  it('is there for the guest, who works in it and cannot remove it', async () => {
    await grace.reload()
    await grace.getByText('shared by ada').waitFor()
    await shot(grace, 'sharing-guest')
    expect(await grace.getByRole('button', { name: /^(Remove|Share) spoken/ }).count()).toBe(0)
    await grace.getByRole('button', { name: 'New chat here' }).click()
    await grace.getByRole('textbox', { name: 'Message' }).fill('What does the sample do?')
    await grace.getByRole('button', { name: /^Send/ }).click()
    await grace.waitForURL(/#\/chat\//)
  })

  it('is taken back after a question, and the guest’s chat says why nothing starts in it', async () => {
    await ada.getByRole('button', { name: 'Share spoken-durations-1' }).click()
    await ada.getByRole('button', { name: 'Stop sharing with grace', exact: true }).click()
    const question = ada.getByRole('dialog', { name: 'Stop sharing with grace?' })
    await question.getByText('Their runs in spoken-durations-1 are stopped now').waitFor()
    await shot(ada, 'sharing-end')
    await question.getByRole('button', { name: 'Stop sharing' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await ada.getByRole('button', { name: 'Stop sharing with grace', exact: true }).count()).toBe(0)

    await grace.reload()
    await grace.getByText('What does the sample do?').first().waitFor()
    await grace.getByRole('textbox', { name: 'Message' }).fill('And now?')
    await grace.getByRole('button', { name: /^Send/ }).click()
    await grace.getByText('is not shared with you any more').first().waitFor()
    await shot(grace, 'sharing-refused')
  })

  it('is given back by a guest who leaves', async () => {
    await ada.getByLabel('User name').fill('grace')
    await ada.getByRole('button', { name: 'Share project' }).click()
    await ada.getByRole('button', { name: 'Stop sharing with grace', exact: true }).waitFor()
    await grace.goto(`${server.url}/#/projects`)
    await grace.reload()
    await grace.getByRole('button', { name: 'Leave spoken-durations-1' }).click()
    await shot(grace, 'sharing-leave')
    await grace.getByRole('dialog').getByRole('button', { name: 'Leave project' }).click()
    await grace.getByText('No project yet').waitFor()
  })

  it('is removed after its owner was told what goes', async () => {
    await ada.reload()
    await ada.getByRole('button', { name: 'Remove spoken-durations-1' }).click()
    const question = ada.getByRole('dialog', { name: 'Remove spoken-durations-1?' })
    await question.getByText('No chat is in it.').waitFor()
    await shot(ada, 'sharing-remove')
    await question.getByRole('button', { name: 'Remove project' }).click()
    await ada.getByText('No project yet').waitFor()
  })

  /** Screenshots in both themes are kept when asked for, to be looked at by a person. */
  async function shot(page: Page, name: string): Promise<void> {
    const folder = process.env['BRIDLEWISE_SHOTS']
    if (!folder) return
    mkdirSync(folder, { recursive: true })
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) })
    }
  }
})
