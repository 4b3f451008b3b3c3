import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { judgeFileSystem } from './file-system.ts'
import { prepareHomes } from './homes.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-homes-'))
  writeFileSync(join(base, 'file'), 'mine')
  mkdirSync(join(base, 'directory'))
  symlinkSync(join(base, 'nothing'), join(base, 'dangling'))
  symlinkSync(join(base, 'circle'), join(base, 'circle'))
  symlinkSync(join(base, 'directory'), join(base, 'link'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const data = (...way: string[]) => prepareHomes({ data: join(base, ...way), keys: join(base, 'keys') })
const keys = (...way: string[]) => prepareHomes({ data: join(base, 'data'), keys: join(base, ...way) })

describe('a data home', () => {
  it.each<[string, string[], string]>([
    ['a file', ['file'], 'file is a file, and a directory is needed there'],
    ['below a file', ['file', 'a', 'b'], 'file is a file, and a directory is needed there'],
    ['a link that leads nowhere', ['dangling'], 'dangling is a link that leads nowhere'],
    ['below such a link', ['dangling', 'a'], 'dangling is a link that leads nowhere'],
    ['a link to itself', ['circle'], 'circle is a link that leads nowhere'],
    ['of a name that is too long', ['x'.repeat(300)], 'its path is too long'],
    ['of a path that is too long for the database', ['x'.repeat(200), 'y'.repeat(200), 'z'.repeat(200)], '480 bytes'],
    ['of a path of 4,096 bytes', Array.from({ length: 40 }, () => 'x'.repeat(101)), 'its path is too long'],
  ])('that is %s is refused, and the refusal says what to do', (_what, way, problem) => {
    const prepared = data(...way)
    expect(prepared.ok ? '' : prepared.refusal.code).toBe('data_home_unusable')
    expect(prepared.ok ? '' : prepared.refusal.message).toContain(problem)
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('mine')
  })

  it.each([['directory'], ['link'], ['new'], ['new/below'], ['x'.repeat(200)]])('may be %s', (way) => {
    expect(data(way).ok).toBe(true)
  })
})

describe('a key home', () => {
  it.each<[string, string[], string]>([
    ['a file', ['file'], 'file is a file, and a directory is needed there'],
    ['below a file', ['file', 'keys'], 'file is a file, and a directory is needed there'],
    ['a link that leads nowhere', ['dangling'], 'dangling is a link that leads nowhere'],
    ['a link', ['link'], 'it is a symbolic link'],
  ])('that is %s is refused, and the refusal says what to do', (_what, way, problem) => {
    const prepared = keys(...way)
    expect(prepared.ok ? '' : prepared.refusal.code).toBe('key_home_unsafe')
    expect(prepared.ok ? '' : prepared.refusal.message).toContain(problem)
  })
})

describe('the file system of a data home', () => {
  it.each([
    [0x6969, 'none'],
    [0xff534d42, 'none'],
    [-11317950, 'none'],
    [0xfe534d42, 'none'],
    [0x01021997, 'none'],
    [0x53464846, 'none'],
    [0x786f4256, 'none'],
    [0x65735546, 'limited'],
    [0x794c7630, 'limited'],
    [0x01021994, 'limited'],
    [0xef53, 'full'],
    [0x9123683e, 'full'],
    [0x12345678, 'full'],
  ])('of type %i is trusted: %s', (type, trust) => {
    expect(judgeFileSystem(type, 'linux').trust).toBe(trust)
  })

  it('is not judged by numbers that mean something else on another system', () => {
    expect(judgeFileSystem(0x6969, 'darwin').trust).toBe('full')
  })
})
