import { describe, expect, it } from 'vitest'
import { readConfig, variables } from './config.ts'

const home = { HOME: '/home/ada' }

describe('readConfig', () => {
  it('gives the documented defaults for an empty environment', () => {
    expect(readConfig(home)).toMatchObject({
      ok: true,
      value: {
        host: '127.0.0.1',
        port: 5173,
        fixtures: false,
        homes: {
          data: '/home/ada/.local/share/bridlewise',
          keys: '/home/ada/.config/bridlewise/keys',
          demo: '/home/ada/.local/share/bridlewise-demo',
        },
      },
    })
  })

  it.each([
    ['HARNESS_WEB_HOST', ['127.0.0.1', '::1', 'localhost', '']],
    ['HARNESS_WEB_PORT', ['0', '1', '8080', '65535', '']],
    ['HARNESS_WEB_DATA', ['/srv/data', '~/data']],
    ['HARNESS_WEB_KEYS', ['/srv/keys', '~/keys']],
    ['HARNESS_WEB_LLM_FIXTURES', ['1', '']],
  ])('takes good values of %s', (name, values) => {
    for (const value of values) expect(readConfig({ ...home, [name]: value }), value).toMatchObject({ ok: true })
  })

  it.each([
    [
      'HARNESS_WEB_HOST',
      ['0.0.0.0', '::', '192.168.1.2', '127.0.0.2', '127.1', 'LOCALHOST', 'localhost.', 'evil.test', '[::1]', ' localhost'],
    ],
    ['HARNESS_WEB_PORT', ['-1', '65536', '80a', '1e3', '0x50', '08', ' 80', '5173.0']],
    [
      'HARNESS_WEB_DATA',
      [
        'data',
        './data',
        '/',
        '/srv/\0data',
        '/srv/da\nta',
        '/srv/\u001b[2J',
        `/${'x'.repeat(2 * 1024 * 1024)}`,
        '$(id)',
        '~ada/x',
      ],
    ],
    [
      'HARNESS_WEB_KEYS',
      ['keys', '/', '/home/ada/.local/share/bridlewise', '/home/ada/.local/share/bridlewise/keys', '/home/ada/.local'],
    ],
    ['HARNESS_WEB_LLM_FIXTURES', ['0', 'true', 'yes']],
  ])('refuses bad values of %s and names the variable', (name, values) => {
    for (const value of values) {
      expect(readConfig({ ...home, [name]: value }), value).toMatchObject({
        ok: false,
        refusal: { code: 'config_invalid', details: { name } },
      })
    }
  })

  it.each(['/srv/$(touch x)', '/srv/`id`', '/srv/$HOME', '/srv/~', '/srv/a;b', '/srv/%HOME%'])(
    'takes %s as it is spelled',
    (path) => {
      expect(readConfig({ ...home, HARNESS_WEB_DATA: path })).toMatchObject({ ok: true, value: { homes: { data: path } } })
    },
  )

  it.each([`/\n2026 INFO login ok\u001b[31m`, 'x'.repeat(2 * 1024 * 1024), 'a\u202eb'])(
    'repeats a bad value in one short line of plain characters (%#)',
    (value) => {
      const config = readConfig({ ...home, HARNESS_WEB_KEYS: value })
      if (config.ok) throw new Error('it was taken')
      expect(config.refusal.message).toMatch(/^[^\p{Cc}\p{Cf}]{1,500}$/u)
    },
  )

  it('cannot be changed once read', () => {
    const config = readConfig(home)
    if (!config.ok) throw new Error(config.refusal.message)
    expect(() => Object.assign(config.value, { host: '0.0.0.0' })).toThrow(TypeError)
    expect(() => Object.assign(config.value.homes, { data: '/' })).toThrow(TypeError)
  })

  it('reads the variables of its table and no others', () => {
    const asked = new Set<string>()
    const environment = new Proxy<Record<string, string>>(home, {
      get: (target, name) => {
        asked.add(String(name))
        return target[String(name)]
      },
    })
    readConfig(environment)
    asked.delete('HOME')
    const names = new Set([...asked].map((name) => name.toUpperCase()))
    expect([...names].sort()).toEqual(variables.map((variable) => variable.name).sort())
  })
})
