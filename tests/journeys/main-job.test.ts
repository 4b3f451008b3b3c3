/**
 * The main job, as a person does it: from nothing to a passing test, watched in a browser, found again
 * after the server was killed.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { bug, type GitProject, makeGitProject } from '../support/git-project.ts'
import { calls, finishes, says, streams, uses } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { watchConsole } from './support/console.ts'

const person = { name: 'ada', password: 'a long enough passphrase' }
/** Has the shape of a key, belongs to nobody, and is new for each run of the test. */
const plantedKey = `ghp_${randomBytes(27)
  .toString('base64')
  .replaceAll(/[^A-Za-z0-9]/g, 'q')
  .slice(0, 36)}`
const task = `The test of percent fails. Find out why and mend it. My key is ${plantedKey}, in case you need one.`

describe('the main job', () => {
  let server: ServerProcess
  let endpoint: ScriptedEndpoint
  let project: GitProject
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    project = makeGitProject()
    endpoint = await startScriptedEndpoint({ models: ['scripted-large'], steps: conversation() })
    server = await ServerProcess.start()
    browser = await launchBrowser()
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    page = await context.newPage()
    complaints = watchConsole(page)
    page.setDefaultTimeout(15_000)
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await endpoint?.close()
    project?.[Symbol.dispose]()
  })

  it('begins with the one-time code that the server printed', async () => {
    expect(server.log).toContain(server.setupCode)
    await page.goto(server.url)
    await page.getByLabel('Setup code').fill(server.setupCode)
    await page.getByLabel('User name').fill(person.name)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await shot('setup')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: /first steps|begin/i }).waitFor()
    await shot('first-steps')
  })

  it('signs out and in again', async () => {
    // What the page reads is answered while the session lasts, so that no late answer is a complaint.
    const reads = ['account/token/list', 'account/session/list', 'storage', 'storage/file']
    const answered = reads.map((read) => page.waitForResponse((response) => new URL(response.url()).pathname === `/api/${read}`))
    await page.goto(`${server.url}/#/settings`)
    await Promise.all(answered)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('User name').fill(person.name)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor({ state: 'detached' })
  })

  it('adds a model endpoint and sees its models', async () => {
    await page.goto(`${server.url}/#/providers`)
    await page.getByRole('button', { name: 'Add provider' }).first().click()
    await page.getByRole('button', { name: /custom|other/i }).click()
    await page.getByLabel('Name', { exact: true }).fill('Scripted')
    await page.getByLabel('Address').fill(endpoint.baseUrl)
    await page.getByRole('button', { name: 'Fetch models' }).click()
    await page.getByText('scripted-large').first().waitFor()
    await shot('provider')
    await page.getByRole('button', { name: 'Save provider' }).click()
    await page
      .getByRole('heading', { name: 'Scripted' })
      .or(page.getByRole('cell', { name: 'Scripted' }))
      .first()
      .waitFor()
  })

  it('adds the project', async () => {
    await page.goto(`${server.url}/#/projects`)
    await page.getByRole('button', { name: 'Add project' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('shares')
    await page.getByLabel('Directory').fill(project.path)
    await shot('project')
    await page.getByRole('button', { name: 'Save project' }).click()
    await page.getByText(project.path).first().waitFor()
  })

  it('sends the task and watches it being done', async () => {
    await page.goto(`${server.url}/#/new`)
    await page.getByLabel('Project').first().selectOption({ label: 'shares' })
    await page.getByRole('textbox', { name: 'Message' }).fill(task)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('rounded before it was multiplied').waitFor({ timeout: 60_000 })
    await page
      .getByText(/^completed/i)
      .first()
      .waitFor()
    await shot('done')
  }, 90_000)

  it('shows the diff and the terminal', async () => {
    await page
      .getByRole('button', { name: /edit.*percent\.ts/i })
      .first()
      .click()
    await page.getByText(bug.new).first().waitFor()
    await shot('diff')
    await page
      .getByRole('button', { name: /run.*npm test/i })
      .last()
      .click()
    await page
      .getByText(/pass 2/)
      .first()
      .waitFor()
    await shot('terminal')
  })

  it('has changed the file on disk, and nothing else', () => {
    expect(project.read('src/percent.ts')).toContain(bug.new)
    expect(project.git('status', '--porcelain').trim()).toBe('M src/percent.ts')
  })

  it('has sent exactly the expected requests, with the planted key replaced', () => {
    expect(endpoint.problems).toEqual([])
    expect(endpoint.received).toHaveLength(conversation().length)
    for (const request of endpoint.all) expect(request.raw.toString()).not.toContain(plantedKey)
    expect(endpoint.received[0]?.raw.toString()).toMatch(/\[REDACTED:/)
  })

  it('finds chat, diff and ledger again after the server was killed', async () => {
    await server.kill('SIGKILL')
    await server.restart()
    await page.reload()
    await page.getByText('rounded before it was multiplied').waitFor()
    await page
      .getByRole('button', { name: /edit.*percent\.ts/i })
      .first()
      .click()
    await page.getByText(bug.new).first().waitFor()
    await shot('after-restart')
    await page.goto(`${server.url}/#/timeline`)
    await page.getByRole('button', { name: /verify/i }).click()
    await page
      .getByText(/chain (is whole|verifies)|verified/i)
      .first()
      .waitFor()
    await shot('timeline')
    expect(endpoint.received).toHaveLength(conversation().length)
  }, 60_000)

  it('holds at phone width, in the dark, and on every screen', async () => {
    for (const [width, height, scheme] of [
      [390, 844, 'light'],
      [390, 844, 'dark'],
      [1440, 900, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: scheme })
      for (const place of ['projects', 'providers', 'timeline', 'posture', 'tools', 'settings', 'new']) {
        await page.goto(`${server.url}/#/${place}`)
        await page.getByRole('main').waitFor()
        await page.waitForLoadState('networkidle')
        await shot(`${place}-${width}-${scheme}`)
        const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        expect(sideways, `${place} at ${width} scrolls sideways`).toBeLessThanOrEqual(0)
      }
    }
  }, 120_000)

  it('has made the browser complain about nothing', () => {
    expect(complaints).toEqual([])
  })

  /** Screenshots are kept when asked for, to be looked at by a person. */
  async function shot(name: string): Promise<void> {
    const folder = process.env['BRIDLEWISE_SHOTS']
    if (!folder) return
    mkdirSync(folder, { recursive: true })
    await page.screenshot({ path: path.join(folder, `${name}.png`) })
  }
})

function conversation() {
  return [
    streams(
      [
        says('I will look at the project ', 'and run its tests first.'),
        calls('list_files', {}),
        finishes('tool_calls'),
        uses(900, 20),
      ],
      {
        expect: { lastRole: 'user', bodyLacks: plantedKey, offers: ['read_file', 'edit', 'execute_command'] },
      },
    ),
    streams([calls('execute_command', { command: 'npm test' }), finishes('tool_calls'), uses(1000, 20)], {
      expect: { lastRole: 'tool', lastHolds: 'src' },
    }),
    streams(
      [
        says('One test fails.'),
        calls('read_file', { path: 'src/percent.ts' }, { pieceLength: 5 }),
        finishes('tool_calls'),
        uses(1200, 20),
      ],
      {
        expect: { lastRole: 'tool', lastHolds: 'fail 1' },
      },
    ),
    streams(
      [
        calls('edit', { edits: [{ path: 'src/percent.ts', old: bug.old, new: bug.new }] }),
        finishes('tool_calls'),
        uses(1300, 40),
      ],
      {
        expect: { lastRole: 'tool', lastHolds: bug.old },
      },
    ),
    streams([calls('execute_command', { command: 'npm test' }), finishes('tool_calls'), uses(1400, 20)], {
      expect: { lastRole: 'tool' },
    }),
    streams(
      [
        says('The share was ', 'rounded before it was multiplied', ', so a half became a hundred. Both tests pass now.'),
        finishes('stop'),
        uses(1500, 30),
      ],
      {
        expect: { lastRole: 'tool', lastHolds: 'pass 2' },
      },
    ),
  ]
}
