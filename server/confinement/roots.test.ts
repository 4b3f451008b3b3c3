import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRoot, type Surroundings } from './roots.ts'

let base: string
let surroundings: Surroundings

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'roots-')))
  for (const path of ['home/src/app', 'home/.config/keys', 'home/data/inner', 'home/data-demo/sample']) {
    await mkdir(join(base, path), { recursive: true })
  }
  await symlink(join(base, 'home/data'), join(base, 'home/src/linked-data'))
  await symlink(join(base, 'home/src/app'), join(base, 'home/src/linked-app'))
  surroundings = {
    userHome: join(base, 'home'),
    apart: [join(base, 'home/data'), join(base, 'home/.config/keys'), join(base, 'later')],
  }
})

afterAll(() => rm(base, { recursive: true, force: true }))

describe('checkRoot', () => {
  it.each([
    { path: 'home/src/app', real: 'home/src/app' },
    { path: 'home/src/linked-app', real: 'home/src/app' },
    { path: 'home/data-demo/sample', real: 'home/data-demo/sample' },
  ])('allows $path and gives its real path', async ({ path, real }) => {
    expect(await checkRoot(surroundings, join(base, path))).toEqual({ ok: true, value: join(base, real) })
  })

  it.each([
    { title: 'the home', path: 'home', code: 'project_path_invalid' },
    { title: 'what holds the home', path: '', code: 'project_path_invalid' },
    { title: 'the data home', path: 'home/data', code: 'project_path_invalid' },
    { title: 'what lies in the data home', path: 'home/data/inner', code: 'project_path_invalid' },
    { title: 'a link to the data home', path: 'home/src/linked-data', code: 'project_path_invalid' },
    { title: 'what holds the key home', path: 'home/.config', code: 'project_path_invalid' },
    { title: 'what is not there', path: 'home/src/gone', code: 'project_missing' },
  ])('refuses $title', async ({ path, code }) => {
    expect(await checkRoot(surroundings, join(base, path))).toMatchObject({ ok: false, refusal: { code } })
  })

  it.each(['/', '/usr', '/tmp', 'relative/path', '/with\0zero'])('refuses %j', async (path) => {
    expect(await checkRoot(surroundings, path)).toMatchObject({ ok: false, refusal: { code: 'project_path_invalid' } })
  })
})
