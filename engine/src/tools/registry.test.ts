import { detailsSchema } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { builtinTools } from './builtin/index.ts'
import { createToolRegistry } from './registry.ts'

const registry = createToolRegistry(builtinTools)
const manifest = registry.manifest()
const detailKinds = detailsSchema.options.map((option) => option.shape.kind.value)

describe('the registry', () => {
  it.each(manifest.map((entry) => [entry.name, entry] as const))(
    '%s has a capability, a renderer kind and a schema',
    (_name, entry) => {
      expect(['read', 'write', 'execute']).toContain(entry.capability)
      expect(detailKinds).toContain(entry.renders)
      expect(entry.description.length).toBeGreaterThan(10)
      expect(entry.input).toMatchObject({ type: 'object', additionalProperties: false })
    },
  )

  it('has the tools that are promised', () => {
    expect(manifest.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['read_file', 'list_files', 'find_files', 'search_text', 'edit'],
        ...['execute_command', 'git_status', 'git_diff', 'git_commit'],
      ]),
    )
  })

  it('takes no two tools of one name', () => {
    const [first] = builtinTools
    expect(() => createToolRegistry(first ? [first, first] : [])).toThrow(/two tools are named/)
  })

  it('tells the model the same, in the same order, every time', () => {
    expect(registry.forModel('act')).toEqual(createToolRegistry(builtinTools).forModel('act'))
    expect(registry.forModel('act').map(({ name }) => name)).toEqual(manifest.map(({ name }) => name))
  })

  it('shows no tool in plan mode that changes things, but for those that then only read', () => {
    const shown = new Set(registry.forModel('plan').map(({ name }) => name))
    const changing = manifest.filter(({ name, capability }) => shown.has(name) && capability !== 'read')
    expect(changing.map(({ name }) => name)).toEqual(['execute_command', 'delegate'])
  })

  it('takes little of every request: the whole list is below 4,000 bytes', () => {
    expect(Buffer.byteLength(JSON.stringify(registry.forModel('act')))).toBeLessThan(4_000)
  })
})
