import { describe, expect, test } from 'vitest'
import { normalisePath } from './path.ts'

describe('a path in its normal form', () => {
  test.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src/', 'src'],
    ['src/../lib/b.ts', 'lib/b.ts'],
    ['.', '.'],
    ['/p/app', '.'],
    ['/p/app/', '.'],
    ['/p/app/src/a.ts', 'src/a.ts'],
    ['/p/app/../app/src', 'src'],
    ['...', '...'],
    ['..a/b', '..a/b'],
    ['$(id)', '$(id)'],
    ['-rf', '-rf'],
    ['a\nb', 'a\nb'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['~user', '~user'],
  ])('%j is %j', (path, normal) => {
    expect(normalisePath('/p/app', path)).toEqual({ ok: true, value: normal })
  })

  test.each([
    ['..', 'path_outside_project'],
    ['../x', 'path_outside_project'],
    ['a/../../x', 'path_outside_project'],
    ['/p/app2/x', 'path_outside_project'],
    ['/p/app-evil', 'path_outside_project'],
    ['/p/app/../app2', 'path_outside_project'],
    ['/p', 'path_outside_project'],
    ['/etc/passwd', 'path_outside_project'],
    ['/proc/self/root/etc/passwd', 'path_outside_project'],
    ['~', 'path_outside_project'],
    ['~/.ssh/id_rsa', 'path_outside_project'],
    ['', 'path_invalid'],
    ['   ', 'path_invalid'],
    ['a\0b', 'path_invalid'],
    ['..\\x', 'path_invalid'],
    ['\\\\?\\C:\\x', 'path_invalid'],
    ['file:///etc/passwd', 'path_invalid'],
    ['half \ud800', 'path_invalid'],
    ['a'.repeat(256), 'path_invalid'],
    [`${'a/'.repeat(2049)}b`, 'path_invalid'],
  ])('%j is refused as %s', (path, code) => {
    expect(normalisePath('/p/app', path)).toMatchObject({ ok: false, refusal: { code } })
  })

  test('a part may be as long as the file system allows', () => {
    expect(normalisePath('/p/app', 'a'.repeat(255)).ok).toBe(true)
  })
})
