import { appendFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { digestSources } from './sources.ts'

const engine = fileURLToPath(new URL('../../', import.meta.url))

/** A copy of the real sources at another place. */
async function copyEngine() {
  const home = await mkdtemp(join(tmpdir(), 'sources-'))
  await cp(join(engine, 'package.json'), join(home, 'package.json'))
  await cp(join(engine, 'src'), join(home, 'src'), { recursive: true })
  return { home, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) }
}

async function flipLastBit(path: string) {
  const bytes = await readFile(path)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  await writeFile(path, bytes)
}

describe('the digest of the sources', () => {
  it('is the same for a copy at another place', async () => {
    await using copy = await copyEngine()
    expect(await digestSources(copy.home)).toEqual(await digestSources(engine))
  })

  it.each([
    ['a bit of a source', (home: string) => flipLastBit(join(home, 'src/kernel/root-policy.ts'))],
    ['a bit of the package file', (home: string) => flipLastBit(join(home, 'package.json'))],
    ['a byte at the end of a README', (home: string) => appendFile(join(home, 'src/cli/README.md'), ' ')],
    ['an empty file more', (home: string) => writeFile(join(home, 'src/empty'), '')],
    ['a file under another name', (home: string) => rename(join(home, 'src/cli.ts'), join(home, 'src/cli2.ts'))],
    ['a file less', (home: string) => rm(join(home, 'src/cli.ts'))],
  ])('changes with %s', async (_case, change) => {
    await using copy = await copyEngine()
    const before = await digestSources(copy.home)
    await change(copy.home)
    expect((await digestSources(copy.home)).digest).not.toBe(before.digest)
  })

  it('does not change with an empty directory', async () => {
    await using copy = await copyEngine()
    const before = await digestSources(copy.home)
    await mkdir(join(copy.home, 'src/nothing'))
    expect(await digestSources(copy.home)).toEqual(before)
  })

  it('is not made over a link, behind which sources could change', async () => {
    await using copy = await copyEngine()
    await symlink('/etc/hostname', join(copy.home, 'src/linked.ts'))
    await expect(digestSources(copy.home)).rejects.toThrow('src/linked.ts')
  })
})
