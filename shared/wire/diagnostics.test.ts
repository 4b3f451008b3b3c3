import { describe, expect, it } from 'vitest'
import { type Diagnostics, diagnosticsFormat, diagnosticsSchema, diagnosticsSections, writeDiagnostics } from './diagnostics.ts'

const bundle: Diagnostics = {
  format: diagnosticsFormat,
  madeAt: 1,
  madeBy: 'command line',
  leftOut: [],
  sections: {
    limits: [{ id: 'a', value: 1, unit: 'count' }],
    events: [{ kind: 'with "quotes"\nand lines', rows: 1, last: 2 }],
    storage: { bytes: 3, schema: null, tables: null },
  },
}

describe('writeDiagnostics', () => {
  it.each([
    { leave: [], stays: ['storage', 'limits', 'events'] },
    { leave: ['events', 'faults'], stays: ['storage', 'limits'] },
    { leave: ['storage', 'limits'], stays: ['events'] },
    { leave: diagnosticsSections, stays: [] },
  ] as const)('gives parts that join to one document, without $leave', ({ leave, stays }) => {
    const parts = writeDiagnostics(bundle, new Set(leave))
    const text = parts.map((part) => part.text).join('')
    const read = diagnosticsSchema.parse(JSON.parse(text))
    expect(Object.keys(read.sections).sort()).toEqual([...stays].sort())
    for (const section of stays) expect(read.sections[section]).toEqual(bundle.sections[section])
    expect(read.leftOut).toEqual(
      diagnosticsSections.filter((id) => id in bundle.sections && !(stays as readonly string[]).includes(id)),
    )
    expect(text).toBe(`${JSON.stringify(read, null, 2)}\n`)
    expect(parts.flatMap(({ section }) => section ?? []).length).toBe(stays.length)
  })
})
