import { describe, expect, it } from 'vitest'
import { fillInput, fillPlaces, replyLines, rowsAt, valueAt } from './served-values.ts'

describe('a place in a reply', () => {
  it.each([
    ['a.b', { a: { b: 1 } }, 1],
    ['a.c', { a: { b: 1 } }, undefined],
    ['a.b.c', { a: { b: 1 } }, undefined],
    ['constructor', {}, undefined],
    ['__proto__.x', {}, undefined],
    ['a', null, undefined],
  ])('%s is found as its own value or not at all', (path, reply, value) => expect(valueAt(reply, path)).toBe(value))

  it('holds rows, and only rows', () => {
    expect(rowsAt({ tokens: [{ id: 1 }, null, 'x'] }, 'tokens')).toEqual([{ id: 1 }])
    expect(rowsAt({ tokens: 'no' }, 'tokens')).toEqual([])
  })
})

describe('an action on a row', () => {
  const row = { id: 'token_1', name: '{id}', of: { user: 'ann' } }

  it('takes its inputs from the row', () => {
    expect(fillInput({ tokenId: 'id' }, row)).toEqual({ tokenId: 'token_1' })
    expect(fillInput(undefined, null)).toEqual({})
  })

  it('asks with the row by name, and reads no place inside a value', () => {
    expect(fillPlaces('Revoke {name} of {of.user}? {missing}', row)).toBe('Revoke {id} of ann? {missing}')
  })
})

describe('a reply is shown', () => {
  it.each([
    ['as the fields of the one thing it holds', { token: { id: 1, secret: 's' } }, ['id', 'secret']],
    ['as its own fields', { entries: 4, intact: true }, ['entries', 'intact']],
    ['as a list when it holds one', { models: ['a'] }, ['models']],
    ['not at all when it says nothing', {}, []],
  ])('%s', (_, reply, names) => expect(replyLines(reply).map(({ name }) => name)).toEqual(names))
})
