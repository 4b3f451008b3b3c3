/** The cockpit in a real browser, against a model, a project and names that attack the page which shows them. */
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { watchConsole } from '../journeys/support/console.ts'
import { launchBrowser } from '../support/browser.ts'
import type { GitProject } from '../support/git-project.ts'
import { loads, runs, targets } from '../support/hostile-markup.ts'
import { esc, hidden, hostileProject, names, shownHidden, tag } from '../support/hostile-project.ts'
import { judge, type Verdict } from '../support/judge-turns.ts'
import { call, enter, type Person } from '../support/people.ts'
import { answers, answersWith, callsTool, finishes, type Step, says, streams } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let endpoint: ScriptedEndpoint
let project: GitProject
let browser: Browser
let context: BrowserContext
let page: Page
let person: Person
let projectId: string
let canary: NetServer
/** Requests to a name below `.test`: every name leads to the canary. */
let escaped = 0
let complaints: string[]
/** Steps by a key that stands in the prompt. */
const scripts = new Map<string, Step[]>()

const listens = (given: Server | NetServer) =>
  new Promise<number>((resolve) => given.listen(0, '127.0.0.1', () => resolve((given.address() as AddressInfo).port)))

beforeAll(async () => {
  canary = createServer((socket) => {
    socket.on('error', () => undefined)
    // The browser's own housekeeping ends here too; names of a request and of a handshake stand in plain text.
    socket.once('data', (bytes) => {
      if (bytes.includes('.test')) escaped += 1
      socket.destroy()
    })
  })
  const canaryPort = await listens(canary)
  project = hostileProject()
  endpoint = await startScriptedEndpoint({ steps: (request) => stepFor(request.raw.toString()) })
  const rates = { light: often, normal: often, costly: often, secret: often }
  server = await startTestServer({ limits: { rates } })
  person = await enter(server, 'setup', { code: server.running.setupCode(), username: names.user, password: passphrase })
  await post('provider/create', { name: names.provider, kind: 'custom', baseUrl: endpoint.baseUrl, models: [names.model] })
  const { project: added } = await post<{ project: { id: string } }>('project/create', {
    name: names.project,
    path: project.path,
  })
  projectId = added.id
  browser = await launchBrowser([`--host-resolver-rules=MAP * 127.0.0.1:${canaryPort}, EXCLUDE 127.0.0.1`])
  context = await signedIn()
  page = await context.newPage()
  page.setDefaultTimeout(15_000)
  complaints = watchConsole(page)
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
  await endpoint?.close()
  project?.[Symbol.dispose]()
  canary?.close()
})

const often = { burst: 10_000, everyMs: 1 }

function stepFor(body: string): Step {
  // A chat repeats its earlier prompts, so the newest one counts.
  const [key] = [...scripts.keys()].sort((one, other) => body.lastIndexOf(other) - body.lastIndexOf(one))
  const steps = key !== undefined && body.includes(key) ? scripts.get(key) : undefined
  return steps?.shift() ?? answersWith('Done.')
}

let prompts = 0
function scripted(...steps: Step[]): string {
  prompts += 1
  const key = `task-${String(prompts).padStart(4, '0')}-`
  scripts.set(key, steps)
  return key
}

async function post<Reply>(operation: string, input: object): Promise<Reply> {
  const { status, body } = await call(server, operation, { headers: person.headers, input })
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body as Reply
}

type Run = { readonly id: string; readonly chatId: string }

async function start(prompt: string, where: { chatId?: string; projectId?: string } = {}): Promise<Run> {
  return (await post<{ run: Run }>('run/start', { prompt, ...where })).run
}

/** A run that has ended. */
async function finished(prompt: string, where: { chatId?: string; projectId?: string } = {}): Promise<Run> {
  const run = await start(prompt, where)
  await (await fetch(`${server.url}/api/run/${run.id}/stream`, { headers: person.headers })).text()
  return run
}

function signedIn(): Promise<BrowserContext> {
  const [name = '', value = ''] = person.cookie.split('=')
  const cookie = { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false } as const
  return browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    storageState: {
      cookies: [{ ...cookie, sameSite: 'Strict' }],
      origins: [{ origin: server.url, localStorage: [{ name: 'bridlewise.token', value: person.token }] }],
    },
  })
}

async function openChat(chatId: string): Promise<void> {
  await page.goto(`${server.url}/#/chat/${chatId}`)
  await page.getByRole('article', { name: 'Turn' }).first().waitFor()
  const earlier = page.getByRole('button', { name: 'Show earlier turns' })
  while ((await earlier.count()) > 0) {
    await earlier.click()
    await page.waitForLoadState('networkidle')
  }
}

async function expectUnharmed(): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(window, 'pwned') ?? 'unharmed')).toBe('unharmed')
  expect(
    await page.evaluate(() => [typeof document.cookie, document.body.localName, document.getElementById('app')?.localName]),
  ).toEqual(['string', 'body', 'div'])
  expect(new URL(page.url()).origin).toBe(server.url)
  expect(context.pages()).toHaveLength(1)
  expect(complaints).toEqual([])
  expect(escaped).toBe(0)
}

describe('what a model says', () => {
  const pieces = [...loads, ...runs]
  let verdicts: Verdict[]

  beforeAll(async () => {
    let chatId: string | undefined
    for (const [, text] of pieces) {
      const run = await finished(scripted(answersWith(text)), chatId === undefined ? {} : { chatId })
      chatId = run.chatId
    }
    await openChat(chatId ?? '')
    verdicts = await judge(page)
  }, 120_000)

  it.each(pieces.map(([name], at) => [name, at] as const))('is text when it is %s', (_, at) => {
    expect(verdicts).toHaveLength(pieces.length)
    expect(verdicts[at]?.foreign).toEqual([])
    expect(verdicts[at]?.links.filter((link) => !/^https?:\/\/[a-z.]+\/?/.test(link))).toEqual([])
  })

  it('has run, loaded and overwritten nothing', expectUnharmed)

  it('is text while it still streams, too', async () => {
    const rest = Promise.withResolvers<void>()
    const all = pieces.flatMap(([, text]) => [text, '\n\n'])
    const run = await start(
      scripted(streams([says(...all), { type: 'until', ready: rest.promise }, says('The end.'), finishes('stop')])),
    )
    await openChat(run.chatId)
    await page.getByText('pwned=1').first().waitFor()
    expect((await judge(page)).flatMap(({ foreign }) => foreign)).toEqual([])
    rest.resolve()
    await page.getByText('The end.').waitFor()
    expect((await judge(page)).flatMap(({ foreign }) => foreign)).toEqual([])
    await expectUnharmed()
  })

  it('links nowhere but to http and https, and there only after the whole address was shown', async () => {
    const links = targets.map((target, at) => `[go ${at}](<${target}>) [or ${at}](${target})`).join('\n\n')
    const refused = await finished(scripted(answersWith(links)))
    await openChat(refused.chatId)
    expect((await judge(page)).flatMap(({ links: found }) => found)).toEqual([])

    const address = 'https://ok.test/path?to=a%20place'
    await openChat((await finished(scripted(answersWith(`[our bank](${address})`)))).chatId)
    const link = page.getByRole('link', { name: 'our bank' })
    expect(await link.textContent()).toContain('ok.test')
    for (const press of [
      () => link.click(),
      () => link.click({ button: 'middle' }),
      () => link.click({ modifiers: ['Control'] }),
    ]) {
      await press()
      await page.getByRole('dialog').getByText(address).waitFor()
      await page.getByRole('button', { name: 'Stay here' }).click()
    }
    await expectUnharmed()
  })
})

describe('what hides from the eye', () => {
  it('is drawn as marks and counted in prose, code, prompt and title', async () => {
    const prompt = `${scripted(answersWith(`${hidden} раypal\n\n\`\`\`sh\n${hidden}\n\`\`\``))} ${hidden} раypal`
    const { chatId } = await finished(prompt)
    await post(`chat/${chatId}/rename`, { title: hidden })
    await openChat(chatId)
    const article = page.getByRole('article', { name: 'Turn' })
    for (const mark of shownHidden) expect(await article.getByText(mark).count()).toBeGreaterThanOrEqual(3)
    expect((await article.getByText('раypal').count()) + (await article.getByTitle(/Cyrillic letter/).count())).toBeGreaterThan(3)
    await article.getByText('6 deceptive characters').waitFor()
    await article.getByText('4 deceptive characters').waitFor()
    for (const mark of shownHidden) expect(await page.title()).toContain(`‹${mark}›`)
    await expectUnharmed()
  })
})

describe('a project', () => {
  const edit = { path: 'rules.md', old: 'Rules.', new: `Rules, ${hidden}.` }
  let chatId: string

  beforeAll(async () => {
    const steps = [
      callsTool('list_files', {}),
      callsTool('git_status', {}),
      callsTool('read_file', { path: 'rules.md' }),
      callsTool('edit', { edits: [edit] }),
      callsTool('execute_command', { command: 'cat screen.txt' }),
      callsTool(tag, {}),
      callsTool('read_file', { path: `${tag}\u202e` }),
    ]
    const run = await finished(scripted(...steps, answersWith('Seen.')), { projectId })
    chatId = run.chatId
    await post(`chat/${chatId}/rename`, { title: names.chat })
    await openChat(chatId)
    const closed = page.locator('article .row > button[aria-expanded="false"]')
    while ((await closed.count()) > 0) await closed.first().click()
  }, 60_000)

  it('with names made of markup is listed, changed and run as text', async () => {
    const [verdict] = await judge(page)
    expect(verdict?.foreign.filter((found) => found !== 'div style')).toEqual([])
    for (const name of [tag, names.branch, 'U+202E']) expect(verdict?.text).toContain(name)
    expect(await page.title()).toContain(`${tag} ‹U+202E›`)
    await expectUnharmed()
  })

  it('shows in a diff what would hide in it, and how much', async () => {
    const diff = page.getByRole('region', { name: 'Changes of rules.md' })
    for (const mark of shownHidden) expect(await diff.getByText(mark).count()).toBeGreaterThan(0)
    await diff.getByText(/deceptive characters/).waitFor()
  })

  it('cannot steer the terminal that shows its output', async () => {
    const terminal = page.locator('.terminal').first()
    const text = (await terminal.textContent()) ?? ''
    for (const words of ['a link', 'hidden words', 'Denied', 'Approved', tag]) expect(text).toContain(words)
    for (const words of ['owned title', 'canary.test', 'cHduZWQ', '$q', '[c', '[6n']) expect(text).not.toContain(words)
    expect(await terminal.locator('a').count()).toBe(0)
    await page
      .getByText(/sequences for the terminal .* not followed/)
      .first()
      .waitFor()
    expect(await page.title()).not.toContain('owned')
    expect(await page.evaluate(() => navigator.clipboard.readText())).not.toContain('pwned')
  })

  it('cannot be opened as a page, whatever it generated', async () => {
    for (const place of [
      'evil.html',
      'assets/evil.html',
      `api/project/${projectId}/evil.html`,
      `api/project/${projectId}/file?path=evil.html`,
    ]) {
      const reply = await fetch(`${server.url}/${place}`, { headers: person.headers })
      expect([place, reply.status]).toEqual([place, 404])
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
      expect(await reply.text()).not.toContain('<script>')
    }
    const read = await fetch(`${server.url}/api/timeline/list`, { headers: person.headers })
    expect(read.headers.get('content-type')).toMatch(/^application\/json/)
  })
})

describe('a name', () => {
  it('made of markup and reordered is text on every screen, in menus and in the palette', async () => {
    for (const place of [
      'projects',
      'providers',
      'timeline',
      'posture',
      'tools',
      'settings',
      'new',
      'block/user',
      'block/audit',
    ]) {
      await page.goto(`${server.url}/#/${place}`)
      await page.getByRole('main').waitFor()
      await page.waitForLoadState('networkidle')
    }
    await page.goto(`${server.url}/#/new`)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Commands' }).getByText(`Use ${tag}‹U+202E›model`).waitFor()
    await page.getByRole('dialog', { name: 'Commands' }).getByText(`${tag} ‹U+202E›`).first().waitFor()
    await page.keyboard.press('Escape')
    const shown = await page.evaluate(() => document.body.textContent)
    expect(shown).toContain(tag)
    // Nothing reorders what stands beside it: no override reaches the page as itself.
    expect(await page.evaluate(() => document.body.textContent?.includes('\u202e'))).toBe(false)
    await expectUnharmed()
  })

  it.each([
    ['chat/create', { title: 'x'.repeat(10_000) }],
    ['project/create', { name: 'x'.repeat(10_000), path: '/tmp' }],
    ['provider/create', { name: 'x'.repeat(10_000), kind: 'custom', baseUrl: 'http://127.0.0.1:9', models: ['m'] }],
    ['provider/create', { name: 'x', kind: 'custom', baseUrl: 'http://127.0.0.1:9', models: ['x'.repeat(10_000)] }],
  ])('of ten thousand characters is refused by %s', async (operation, input) => {
    const { status, body } = await call(server, operation, { headers: person.headers, input })
    expect([status, body.refusal?.code]).toEqual([400, 'input_invalid'])
  })
})

describe('an endpoint', () => {
  it('that fails with markup, escapes and reordering is quoted as plain text', async () => {
    const message = `${tag} ${esc}[31mred${esc}]0;owned\u0007 \u202e\u200bend`
    const { chatId } = await finished(scripted(answers(400, { error: { message } })))
    await openChat(chatId)
    await page
      .getByRole('alert')
      .getByText(/red.*end/)
      .first()
      .waitFor()
    const [verdict] = await judge(page)
    expect(verdict?.foreign).toEqual([])
    for (const char of [esc, '\u0007', '\u202e', '\u200b']) expect(verdict?.text).not.toContain(char)
    await expectUnharmed()
  })
})

describe('a bomb', () => {
  const nested = (open: string) => open.repeat(10_000)
  it.each([
    ['one line of 200,000 characters', 'x'.repeat(200_000)],
    ['ten thousand quotes', nested('>')],
    ['ten thousand brackets', nested('[')],
    ['ten thousand emphases', `${nested('*a_')}`],
    ['hidden characters only', '\u200b'.repeat(100_000)],
    ['a list of a hundred thousand', '- a\n'.repeat(100_000)],
    ['code spans without end', `${'`a` '.repeat(50_000)}`],
    ['rows without end', `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(50_000)}`],
  ])('of %s becomes a bounded number of elements', async (_, text) => {
    await openChat((await finished(scripted(answersWith(text)))).chatId)
    await page
      .getByText(/^completed/i)
      .first()
      .waitFor()
    const count = await page.evaluate(() => document.querySelectorAll('*').length)
    expect(count).toBeLessThan(5_000)
  })
})

describe('a paste', () => {
  it('of markup, line ends and hidden characters is shown and counted, and sends nothing', async () => {
    const before = endpoint.received.length
    await page.goto(`${server.url}/#/new`)
    const box = page.getByRole('textbox', { name: 'Message' })
    await box.click()
    await page.evaluate(
      async ([html, plain]) => {
        const blob = (text = '', type = '') => new Blob([text], { type })
        await navigator.clipboard.write([
          new ClipboardItem({ 'text/html': blob(html, 'text/html'), 'text/plain': blob(plain, 'text/plain') }),
        ])
      },
      ['<b>bold</b><a href="http://canary.test/">here</a>', `ls\nrm -rf x\n${hidden}`],
    )
    await page.keyboard.press('Control+v')
    expect(await box.inputValue()).toBe(`ls\nrm -rf x\n${hidden}`)
    await page.getByText('4 deceptive characters').waitFor()
    await expectUnharmed()
    expect(endpoint.received).toHaveLength(before)
    await box.fill('')
  })
})

describe('another page', () => {
  it('cannot frame, embed or steer the cockpit', async () => {
    const asked: string[] = []
    const attacker = createHttpServer((request, response) => {
      asked.push(request.url ?? '')
      response.setHeader('content-type', 'text/html')
      response.end(
        ['iframe src', 'object data', 'embed src']
          .map((frame) => `<${frame}="${server.url}/"></${frame.split(' ')[0]}>`)
          .join(''),
      )
    })
    const origin = `http://127.0.0.1:${await listens(attacker)}`
    const other = await signedIn()
    const visit = await other.newPage()
    await visit.goto(origin)
    await visit.waitForLoadState('networkidle')
    const frames = visit.frames().filter((frame) => frame !== visit.mainFrame())
    for (const frame of frames) expect(await frame.evaluate(() => document.getElementById('app'))).toBe(null)
    const opened = await Promise.all([
      other.waitForEvent('page'),
      visit.evaluate((url) => Boolean(Reflect.set(window, 'popup', window.open(url))), server.url),
    ])
    await opened[0].waitForLoadState()
    // The browser cuts the tie in another process than the one that loads the page, so a moment later.
    await visit.waitForFunction(() => Reflect.get(window, 'popup')?.closed ?? true)
    expect(asked.length).toBeGreaterThan(0)
    await other.close()
    attacker.close()
  })
})

describe('seven tabs', () => {
  it('that watch one run leave a connection for the call that stops it', { timeout: 90_000 }, async () => {
    const never = new Promise<void>(() => undefined)
    const run = await start(scripted(streams([says('Working on it.'), { type: 'until', ready: never }])))
    const other = await signedIn()
    const tabs: Page[] = []
    for (let tab = 0; tab < 7; tab += 1) {
      const opened = await other.newPage()
      await opened.goto(`${server.url}/#/chat/${run.chatId}`)
      await opened.getByText('Working on it.').waitFor()
      tabs.push(opened)
    }
    await tabs.at(-1)?.getByRole('button', { name: 'Stop' }).first().click()
    for (const tab of tabs)
      await tab
        .getByText(/^(cancelled|stopped)/i)
        .first()
        .waitFor()
    const { body } = await call(server, `run/${run.id}`, { headers: person.headers })
    expect(body).toMatchObject({ run: { status: 'cancelled' } })
    await other.close()
  })
})

describe('in the end', () => {
  it('no answer lets a page run or load what is not ours', async () => {
    for (const place of ['', 'sw.js', 'assets/none.js', 'none', 'api/health', 'api/none', 'api/timeline/list']) {
      const reply = await fetch(`${server.url}/${place}`, { headers: place.startsWith('api') ? person.headers : {} })
      const policy = reply.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("require-trusted-types-for 'script'")
      expect(policy).not.toMatch(/unsafe|https?:|\*|wss?:/)
    }
  })

  it('the canary has heard of nothing, and would have', async () => {
    expect(escaped).toBe(0)
    const other = await browser.newContext()
    const visit = await other.newPage()
    await visit.goto('http://canary.test/').catch(() => undefined)
    expect(escaped).toBeGreaterThan(0)
    await other.close()
  })

  it('the cockpit opens while the server is away, and says so', async () => {
    await page.goto(`${server.url}/#/new`)
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true))
    await page.reload()
    await server.running.close()
    await page.reload()
    await page
      .getByText(/does not answer|cannot be reached|unreachable/i)
      .first()
      .waitFor()
  })
})
