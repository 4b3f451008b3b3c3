/** `diagnostics`: what may be handed to somebody who helps, shown before it is saved. */
import { hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { guardianBinary } from '@bridlewise/guardian'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type DiagnosticsSection, diagnosticsSections, writeDiagnostics } from '@bridlewise/shared/wire'
import { cockpitHome } from '../cockpit.ts'
import { createConfinement } from '../confinement/index.ts'
import { gatherFromHome } from '../diagnostics/index.ts'
import { type Config, listLimits, readConfig, usualLimits } from '../index.ts'
import { examineHost } from '../posture/index.ts'
import { printRefusal } from './print.ts'

/** Exit code 0 when it was shown or saved, 1 when it was refused or not agreed to, 2 for other words. */
export async function diagnostics(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const given = readWords(words)
  if (given === null) return 2
  process.umask(0o077)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const text = await gatherText(config.value, environment, given.without)
  process.stdout.write(text)
  if (given.json) return 0
  const figures = `${Buffer.byteLength(text)} bytes, SHA-256 ${hash('sha256', text)}`
  if (given.output === undefined) {
    process.stderr.write(`${figures}. Save exactly this with --output FILE; leave a section out with --without SECTION.\n`)
    return 0
  }
  const path = resolve(given.output)
  const agreed = given.yes ? ok('agreed' as const) : await ask(`Save these ${figures}, to ${path}? [y/N] `, path)
  const saved = agreed.ok ? save(path, text) : agreed
  if (!saved.ok) return printRefusal(saved.refusal)
  process.stderr.write(`Saved to ${path}: ${figures}.\n`)
  return 0
}

interface Given {
  readonly json: boolean
  readonly yes: boolean
  readonly output: string | undefined
  readonly without: ReadonlySet<DiagnosticsSection>
}

/** Null for words that the command does not know. */
function readWords(words: readonly string[]): Given | null {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        json: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
        output: { type: 'string' },
        without: { type: 'string', multiple: true, default: [] },
      },
    })
    const { json, yes, output } = values
    const known = diagnosticsSections.filter((section) => values.without.includes(section))
    if (values.without.length !== known.length || (json && output !== undefined)) return null
    return { json, yes, output, without: new Set(known) }
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

async function gatherText(
  { homes, version }: Config,
  environment: NodeJS.ProcessEnv,
  without: ReadonlySet<DiagnosticsSection>,
): Promise<string> {
  const confinement = createConfinement({
    homes: [homes.data, homes.keys],
    userHome: homedir(),
    scratch: join(tmpdir(), `bridlewise-${process.getuid?.() ?? 0}`),
    toolchains: [],
    binary: guardianBinary,
  })
  try {
    const bundle = await gatherFromHome({
      version,
      homes,
      environment,
      findings: () => examineHost({ homes, confinement, cockpitHome }),
      limits: listLimits(usualLimits),
      now: Date.now,
    })
    return writeDiagnostics(bundle, without)
      .map((part) => part.text)
      .join('')
  } finally {
    await confinement.close()
  }
}

/** Refuses: diagnostics_target_unusable, also when nobody can be asked. */
async function ask(question: string, path: string): Promise<Result<'agreed'>> {
  const no = (problem: string) => refuse('diagnostics_target_unusable', { path, problem })
  if (!process.stdin.isTTY) return no('there is nobody to read it first; agree beforehand with --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const gone = new Promise<string>((settle) => terminal.once('close', () => settle('')))
  const answer = await Promise.race([terminal.question(question), gone])
  terminal.close()
  return /^y(es)?$/i.test(answer.trim()) ? ok('agreed') : no('you did not agree')
}

/** Contract: the owner's alone, and never in the place of something else. Refuses: diagnostics_target_unusable. */
function save(path: string, text: string): Result<'saved'> {
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return ok('saved')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const problem = error.code === 'EEXIST' ? 'something is there already' : `the system says ${String(error.code)}`
    return refuse('diagnostics_target_unusable', { path, problem })
  }
}
