import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { guardianBinary } from '@bridlewise/guardian'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Confinement, createConfinement } from '../confinement/index.ts'
import { acceptDirectory, isPresent } from './accept.ts'
import { browseDirectories } from './browse.ts'
import { copySample, removeCopies } from './demo.ts'

let base: string
let confinement: Confinement

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bridlewise-projects-')))
  for (const name of ['home/code/app', 'home/.hidden', 'data', 'keys', 'elsewhere/deep'])
    mkdirSync(join(base, name), { recursive: true })
  confinement = createConfinement({
    homes: [join(base, 'data'), join(base, 'keys')],
    userHome: join(base, 'home'),
    scratch: join(base, 'scratch'),
    toolchains: [],
    binary: guardianBinary,
  })
})
afterEach(async () => {
  await confinement.close()
  rmSync(base, { recursive: true, force: true })
})

const at = (path: string) => (path.startsWith('/') ? path : join(base, path))

describe('acceptDirectory', () => {
  it.each(['home/code/app', 'home/code', 'elsewhere', 'elsewhere/deep/', 'home/code/../code/app'])(
    'takes %s and pins it',
    async (path) => {
      const accepted = await acceptDirectory(`${base}/${path}`, confinement)
      expect(accepted).toMatchObject({
        ok: true,
        value: { device: expect.stringMatching(/^\d+$/), inode: expect.stringMatching(/^\d+$/) },
      })
      if (accepted.ok) expect(accepted.value.path).toBe(realpathSync(at(path)))
    },
  )

  it.each([
    ['the whole file system', '/'],
    ['a home directory', 'home'],
    ['what holds a home directory', ''],
    ['the data home', 'data'],
    ['a place in the key home', 'keys/inside'],
    ['what is not there', 'nowhere'],
    ['a file', 'file'],
    ['a link', 'link'],
    ['a link with a slash behind it', 'link/'],
    ['a link that leads nowhere', 'dangling'],
    ['a place below a file', 'file/x'],
    ['a path that is too long', `elsewhere/${'x'.repeat(300)}`],
  ])('refuses %s', async (_what, path) => {
    mkdirSync(join(base, 'keys/inside'))
    writeFileSync(join(base, 'file'), '')
    symlinkSync(join(base, 'elsewhere'), join(base, 'link'))
    symlinkSync(join(base, 'nothing'), join(base, 'dangling'))
    const accepted = await acceptDirectory(path.endsWith('/') && path !== '/' ? `${base}/${path}` : at(path), confinement)
    expect(accepted).toMatchObject({ ok: false, refusal: { code: 'project_path_invalid' } })
  })

  it.each(['code/app', './app', '', '~/code', `/tmp/\0`])('refuses the path %j, which is not a whole one', async (path) => {
    expect(await acceptDirectory(path, confinement)).toMatchObject({ ok: false, refusal: { code: 'project_path_invalid' } })
  })

  it('knows the pinned directory again, and a replaced one not', async () => {
    const accepted = await acceptDirectory(at('home/code/app'), confinement)
    if (!accepted.ok) throw new Error(accepted.refusal.message)
    expect(await isPresent(accepted.value)).toBe(true)
    renameSync(at('home/code/app'), at('home/code/moved'))
    expect(await isPresent(accepted.value)).toBe(false)
    mkdirSync(at('home/code/app'))
    expect(await isPresent(accepted.value)).toBe(false)
  })
})

describe('browseDirectories', () => {
  it('shows directories, visible ones first, and says which are under git', async () => {
    mkdirSync(at('home/b/.git'), { recursive: true })
    writeFileSync(at('home/a-file'), '')
    symlinkSync(at('elsewhere'), at('home/a-link'))
    expect(await browseDirectories(at('home'))).toEqual({
      ok: true,
      value: {
        path: at('home'),
        parent: base,
        cut: false,
        directories: [
          { name: 'b', path: at('home/b'), git: true },
          { name: 'code', path: at('home/code'), git: false },
          { name: '.hidden', path: at('home/.hidden'), git: false },
        ],
      },
    })
  })

  it('shows five hundred and says that there are more', async () => {
    for (let i = 0; i < 501; i += 1) mkdirSync(at(`elsewhere/deep/d${String(i).padStart(3, '0')}`))
    const listing = await browseDirectories(at('elsewhere/deep'))
    expect(listing).toMatchObject({ ok: true, value: { cut: true } })
    if (listing.ok) expect(listing.value.directories).toHaveLength(500)
  })

  it('ends at the root, and refuses what is no directory', async () => {
    expect(await browseDirectories('/')).toMatchObject({ ok: true, value: { parent: null } })
    writeFileSync(at('home/a-file'), '')
    for (const path of [at('home/a-file'), at('nowhere'), 'home', '/\0']) {
      expect(await browseDirectories(path), path).toMatchObject({ ok: false, refusal: { code: 'project_path_invalid' } })
    }
  })
})

describe('copySample', () => {
  const sample = () => ({ source: at('elsewhere'), home: at('copies'), name: 'sample' })
  const signal = new AbortController().signal

  it('gives each copy a place of its own, also two at once', async () => {
    writeFileSync(at('elsewhere/file'), 'text')
    const copies = await Promise.all([1, 2, 3].map(() => copySample(sample(), confinement.processPort(), signal)))
    const paths = copies.flatMap((copy) => (copy.ok ? [copy.value] : []))
    expect(paths.sort()).toEqual(['copies/sample-1', 'copies/sample-2', 'copies/sample-3'].map(at))
    for (const path of paths) expect(existsSync(join(path, 'file'))).toBe(true)
  })

  it('leaves no half copy behind', async () => {
    rmSync(at('elsewhere'), { recursive: true })
    const copy = await copySample(sample(), confinement.processPort(), signal)
    expect(copy).toMatchObject({ ok: false, refusal: { code: 'project_path_invalid' } })
    expect(existsSync(at('copies/sample-1'))).toBe(false)
  })

  it('refuses a place that cannot be made', async () => {
    writeFileSync(at('copies'), '')
    expect(await copySample(sample(), confinement.processPort(), signal)).toMatchObject({
      ok: false,
      refusal: { code: 'project_path_invalid' },
    })
  })
})

describe('removeCopies', () => {
  it('removes the very copies that were made, and nothing that stands in their place or elsewhere', async () => {
    const places = ['copies/mine', 'copies/replaced', 'elsewhere/project', 'copies/mine/inside']
    for (const place of places) mkdirSync(at(place), { recursive: true })
    writeFileSync(at('elsewhere/kept'), '')
    symlinkSync(at('elsewhere'), at('copies/mine/link'))
    const pins = await Promise.all(places.map((place) => acceptDirectory(at(place), confinement)))
    renameSync(at('copies/replaced'), at('copies/moved'))
    mkdirSync(at('copies/replaced'))
    const copies = pins.flatMap((pin) => (pin.ok ? [pin.value] : []))
    expect(copies).toHaveLength(places.length)
    await removeCopies({ home: at('copies') }, copies)
    expect(existsSync(at('copies/mine'))).toBe(false)
    for (const kept of ['copies/replaced', 'copies/moved', 'elsewhere/project', 'elsewhere/kept'])
      expect(existsSync(at(kept)), kept).toBe(true)
  })
})
