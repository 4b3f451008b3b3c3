import { describe, expect, it } from 'vitest'
import { fieldsOf, initialValues, labelOf, readForm } from './form-fields.ts'

const string = { type: 'string' }
const safe = Number.MAX_SAFE_INTEGER

/** An operation's input as the server describes it. */
const described = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 80 },
    apiKey: string,
    notes: { type: 'string', maxLength: 100_000 },
    ratio: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
    retries: { type: 'integer', minimum: -safe, maximum: safe },
    active: { type: 'boolean', default: true },
    mode: { type: 'string', enum: ['act', 'plan'] },
    models: { type: 'array', items: string },
    limit: { anyOf: [{ type: 'integer', minimum: 1, maximum: safe }, { type: 'null' }] },
    extra: { type: 'object', propertyNames: string, additionalProperties: {} },
  },
  required: ['name', 'mode', 'models', 'limit'],
  additionalProperties: false,
}
const fields = fieldsOf(described, {})

describe('a form', () => {
  it('has a field for each input, of the kind that suits it', () => {
    expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['name', 'text', true],
      ['apiKey', 'secret', false],
      ['notes', 'long', false],
      ['ratio', 'number', false],
      ['retries', 'integer', false],
      ['active', 'flag', false],
      ['mode', 'choice', true],
      ['models', 'list', true],
      ['limit', 'integer', true],
      ['extra', 'json', false],
    ])
  })

  it('has none for what is already known', () => {
    const input = { type: 'object', properties: { tokenId: string, reason: string }, required: ['tokenId', 'reason'] }
    expect(fieldsOf(input, { tokenId: 'token_1' }).map(({ name }) => name)).toEqual(['reason'])
  })

  it('starts with defaults, or with the values in force', () => {
    expect(initialValues(fields)).toMatchObject({ name: '', ratio: '0.5', active: 'true', mode: 'act', models: '', limit: '' })
    expect(initialValues(fields, { name: 'a', models: ['x', 'y'], limit: null, extra: { k: 1 } })).toMatchObject({
      name: 'a',
      models: 'x\ny',
      limit: '',
      extra: '{\n  "k": 1\n}',
    })
  })

  it.each([
    ['is left out when it may be and needs an entry', { minItems: 1 }, [], {}],
    ['is sent empty when it needs none', {}, [], { only: [] }],
    ['is asked for when it is required and needs an entry', { minItems: 1 }, ['only'], { only: 'Fill this in.' }],
  ])('an empty list %s', (_, limits, required, expected) => {
    const input = { type: 'object', properties: { only: { type: 'array', items: string, ...limits } }, required }
    const listed = fieldsOf(input, {})
    const read = readForm(listed, initialValues(listed))
    expect(read.ok ? read.input : read.errors).toEqual(expected)
  })

  it('says the limits of a number', () => {
    expect(fields.find(({ name }) => name === 'ratio')?.hint).toBe('From 0 to 1.')
    expect(fields.find(({ name }) => name === 'retries')?.hint).toBe(null)
    expect(fields.find(({ name }) => name === 'limit')?.hint).toBe('At least 1.')
  })

  it('is read into what the operation takes', () => {
    const typed = { ...initialValues(fields), name: 'a', retries: '3', active: 'false', models: ' x \n\ny ', extra: '{"k":1}' }
    expect(readForm(fields, typed)).toEqual({
      ok: true,
      input: { name: 'a', ratio: 0.5, retries: 3, active: false, mode: 'act', models: ['x', 'y'], limit: null, extra: { k: 1 } },
    })
  })

  it('names each field that cannot be sent', () => {
    const typed = { ...initialValues(fields), ratio: 'half', retries: '1.5', extra: '{' }
    expect(readForm(fields, typed)).toEqual({
      ok: false,
      errors: {
        name: 'Fill this in.',
        ratio: 'This is not a number.',
        retries: 'Give a whole number.',
        extra: 'This is not JSON.',
      },
    })
  })

  it.each([
    ['baseUrl', 'Base url'],
    ['api_key', 'Api key'],
    ['name', 'Name'],
  ])('labels %s "%s"', (name, label) => expect(labelOf(name)).toBe(label))
})
