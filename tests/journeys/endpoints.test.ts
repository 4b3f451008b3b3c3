/** A person adds endpoints, hears what became of each key, and watches a probe find out how a model is spoken to. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { personalities, scriptOf } from '../support/personalities.ts'
import { answers, type Received, silence } from '../support/script.ts'
import { signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { watchConsole } from './support/console.ts'

describe('endpoints', () => {
  let server: ServerProcess
  let plain: ScriptedEndpoint
  let particular: ScriptedEndpoint
  let browser: Browser
  let page: Page
  let complaints: string[]
  /** While it holds, the endpoint leaves the sixth request of a probe without an answer. */
  let silent = true

  beforeAll(async () => {
    const [follows, thinks] = personalities
    if (!follows || !thinks) throw new Error('two personalities are wanted')
    const { steps } = scriptOf(thinks)
    if (typeof steps !== 'function') throw new Error('a personality answers by a rule')
    plain = await startScriptedEndpoint({ models: answers(401).answer, steps: [] })
    particular = await startScriptedEndpoint({
      ...scriptOf(thinks),
      steps: (given: Received, count) => (silent && count >= 5 ? silence : steps(given, count)),
    })
    server = await ServerProcess.start()
    await signUp(server.url, server.setupCode)
    browser = await launchBrowser()
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    complaints = watchConsole(page)
    page.setDefaultTimeout(15_000)
    await page.goto(`${server.url}/#/providers`)
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill('a long enough passphrase')
    await page.getByRole('button', { name: 'Sign in' }).click()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await plain?.close()
    await particular?.close()
  })

  it('are offered by name, with their addresses filled in', async () => {
    await page.getByRole('button', { name: 'Add provider' }).click()
    for (const name of ['OpenAI', 'Anthropic', 'Google Gemini', 'DeepSeek', 'Mistral', 'Cohere', 'Groq', 'OpenRouter', 'xAI'])
      await page.getByRole('button', { name, exact: true }).waitFor()
    for (const name of ['GitHub Models', 'Azure OpenAI', 'Ollama', 'LM Studio', 'llama.cpp', 'vLLM', 'Another endpoint'])
      await page.getByRole('button', { name, exact: true }).waitFor()
    await shoot('endpoints-presets')
    await page.getByRole('button', { name: 'Mistral', exact: true }).click()
    expect(await page.getByLabel('Address').inputValue()).toBe('https://api.mistral.ai/v1')
  })

  it('that refuse a key are not saved, and say so', async () => {
    await page.getByLabel('Address').fill(plain.baseUrl)
    await page.getByLabel('API key').fill('wrong-key')
    await nameModel('scripted')
    await page.getByRole('button', { name: 'Save provider' }).click()
    await page.getByRole('alert').getByText('Nothing was added. Paste the key again').waitFor()
    await shoot('endpoints-refused')
  })

  it('that nobody answers at are saved with their key, and it is said that it was not checked', async () => {
    const gone = await startScriptedEndpoint({ steps: [] })
    await gone.close()
    await page.getByLabel('Name', { exact: true }).fill('Away')
    await page.getByLabel('Address').fill(gone.baseUrl)
    await page.getByLabel('API key').fill('not-checked-1234')
    await page.getByRole('button', { name: 'Save provider' }).click()
    await page.getByText('could not be checked').waitFor()
    await page.getByText('key …1234').waitFor()
  })

  it('of one service can be several, each with its own key, which is checked', async () => {
    await page.getByRole('button', { name: 'Add provider' }).click()
    await page.getByRole('button', { name: 'Another endpoint', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('Particular')
    await page.getByLabel('Address').fill(particular.baseUrl)
    await page.getByLabel('API key').fill('right-key-5678')
    await page.getByRole('button', { name: 'Fetch models' }).click()
    await page.getByText('1 model chosen of 1 offered').waitFor()
    await page.getByRole('button', { name: 'Save provider' }).click()
    await page.getByText('The endpoint took it.').waitFor()
    await page.getByText('key …5678').waitFor()
    await shoot('endpoints-saved')
    await page.getByRole('button', { name: 'Edit Particular' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Fetch models' }).click()
    await page.getByText('1 model chosen of 1 offered').waitFor()
    expect(particular.all.at(-1)?.headers['authorization']).toBe('Bearer right-key-5678')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  })

  it('say before a probe what it costs, and send nothing until it is asked for', async () => {
    await page.getByRole('button', { name: 'How scripted at Particular is spoken to' }).click()
    await page.getByText(/at most 27 small requests, about 4,000 tokens in and\s+4,000 out/).waitFor()
    await page.getByText('Not probed yet.').waitFor()
    expect(particular.received).toEqual([])
    await shoot('endpoints-documented')
  })

  it('are probed line by line, which a reload does not lose and a stop ends', async () => {
    await page.getByRole('button', { name: 'Probe this model' }).click()
    await page.getByText('6 of 16 questions').waitFor()
    await page.getByText('asking …').waitFor()
    await shoot('endpoints-probing')
    await page.reload()
    await page.getByText('6 of 16 questions').waitFor()
    await page.getByRole('button', { name: 'Stop the probe' }).click()
    await page.getByText('Stopped. Nothing was stored.').waitFor()
    await page.getByText('Not probed yet.').waitFor()
  })

  it('end with a profile in words that stays', async () => {
    silent = false
    await page.getByRole('button', { name: 'Probe this model' }).click()
    await page.getByText('16 of 16 questions').waitFor()
    await page.getByText('Limited by max_completion_tokens.', { exact: true }).waitFor()
    await page.getByText('They are sent once, in front, in the role developer.').waitFor()
    await shoot('endpoints-probed')
    await page.reload()
    await page.getByRole('button', { name: 'How scripted at Particular is spoken to' }).click()
    await page.getByText('Probed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Probe again' }).waitFor()
    await page.getByText('Limited by max_completion_tokens.', { exact: true }).waitFor()
    await shoot('endpoints-profile')
    // The refused key is a 502 to the page; that is the only thing the browser may complain about.
    expect(complaints.filter((line) => !line.includes('api/provider/create'))).toEqual([])
  })

  async function nameModel(modelId: string): Promise<void> {
    await page.getByLabel('Model by id').fill(modelId)
    await page.getByLabel('Model by id').press('Enter')
  }

  async function shoot(name: string): Promise<void> {
    const shots = process.env['BRIDLEWISE_SHOTS']
    for (const colorScheme of shots ? (['light', 'dark'] as const) : (['light'] as const)) {
      await page.emulateMedia({ colorScheme })
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const spill = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect(spill, `${name} ${colorScheme} ${width}`).toBe(0)
        if (!shots) continue
        mkdirSync(shots, { recursive: true })
        await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}-${width}.png`) })
      }
    }
  }
})
