/** Two people at one server: one invites, the other joins, changes the password, and is removed. */
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { enter } from '../support/people.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

describe('a second person', () => {
  let server: TestServer
  let browser: Browser
  let admin: Page
  let guest: Page
  let code = ''

  beforeAll(async () => {
    server = await startTestServer()
    await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
    browser = await launchBrowser()
    admin = await openPage({ width: 1440, height: 900 })
    guest = await openPage({ width: 390, height: 844 })
    await signIn(admin, { username: 'ada', password: passphrase })
    await admin.goto(`${server.url}/#/block/user`)
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  /** A browser of its own: two people share no cookie. */
  async function openPage(viewport: { width: number; height: number }): Promise<Page> {
    const page = await (await browser.newContext({ viewport })).newPage()
    page.setDefaultTimeout(15_000)
    return page
  }

  async function signIn(page: Page, given: { username: string; password: string }): Promise<void> {
    await page.goto(server.url)
    await page.getByLabel('User name').fill(given.username)
    await page.getByLabel('Password', { exact: true }).fill(given.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
  }

  it('is invited with a code that is shown once', async () => {
    await admin.getByRole('button', { name: 'Invite somebody' }).click()
    await admin.getByRole('dialog').getByRole('button', { name: 'Invite somebody' }).click()
    const note = admin.getByRole('status', { name: 'Invite somebody' })
    await note.getByText('Copy it now').waitFor()
    code = (await note.getByText(/^invite-/).textContent())?.trim() ?? ''
    await admin.reload()
    await admin.getByRole('heading', { name: 'Open invites' }).waitFor()
    expect(await admin.content()).not.toContain(code)
  })

  it('joins from the sign-in screen, and is told which field is wrong', async () => {
    await guest.goto(server.url)
    await guest.getByRole('link', { name: 'I have a code' }).click()
    await guest.getByLabel('Code').fill(code)
    await guest.getByLabel('User name').fill('ADA')
    await guest.getByLabel('Password', { exact: true }).fill(passphrase)
    await guest.getByRole('button', { name: 'Create account' }).click()
    await guest.getByText('Somebody here is called ADA already').waitFor()
    await guest.getByLabel('User name').fill('grace')
    await guest.getByRole('button', { name: 'Create account' }).click()
    await guest.getByRole('heading', { name: 'First steps' }).waitFor()
    expect(new URL(guest.url()).hash).toBe('#/new')
  })

  it('changes the password and stays signed in here', async () => {
    await guest.goto(`${server.url}/#/settings`)
    await guest.getByRole('button', { name: 'Change password' }).click()
    await guest.getByLabel('Current password').fill(passphrase)
    await guest.getByLabel('New password').fill(`${passphrase} too`)
    await guest.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
    await guest.getByRole('dialog').waitFor({ state: 'hidden' })
    await enter(server, 'login', { username: 'grace', password: `${passphrase} too` })
    await guest.reload()
    await guest.getByRole('heading', { name: 'Sessions' }).waitFor()
  })

  it('is removed, and is back at the sign-in screen', async () => {
    await admin.reload()
    await admin.getByRole('button', { name: 'Remove grace' }).click()
    await admin.getByText('Remove grace? Their runs are stopped').waitFor()
    await admin.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await admin.getByRole('cell', { name: 'grace', exact: true }).waitFor({ state: 'hidden' })
    await guest.reload()
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('leaves the last administrator, who cannot be removed, and says why', async () => {
    await admin.getByRole('button', { name: 'Remove ada' }).click()
    await admin.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await admin
      .getByRole('dialog')
      .getByText('This is the last administrator. Make somebody else one first.', { exact: true })
      .waitFor()
  })
})
