import { expect, it } from 'vitest'
import { listArguments } from './tool-arguments.ts'

it('reads names, types and what is required from a schema', () => {
  const schema = {
    type: 'object',
    required: ['path'],
    properties: {
      path: { type: 'string', description: 'Where.' },
      lines: { type: 'array', items: { type: 'integer' } },
      mode: { enum: ['a', 'b'] },
      edit: { anyOf: [{ type: 'object' }, { type: 'object' }, { type: 'null' }] },
    },
  }
  expect(listArguments(schema).map((argument) => [argument.name, argument.type, argument.required])).toEqual([
    ['path', 'string', true],
    ['lines', 'integer[]', false],
    ['mode', 'a | b', false],
    ['edit', 'object | null', false],
  ])
})

it.each([{}, { properties: null }, { properties: [] }, { properties: { x: 7 } }])('survives %o', (schema) => {
  expect(() => listArguments(schema)).not.toThrow()
})
