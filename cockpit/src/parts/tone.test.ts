import { callStatusSchema, capabilitySchema, runStatusSchema } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { readState } from './tone.ts'

describe('a state', () => {
  it.each([...runStatusSchema.options, ...callStatusSchema.options, ...capabilitySchema.options])(
    '%s of the wire has a tone and a mark',
    (state) => {
      expect(readState(state)).not.toMatchObject({ mark: 'dot' })
    },
  )

  it.each(['somewhere_else', 'constructor', '__proto__'])('%s that nobody registered is shown as it is', (state) => {
    expect(readState(state)).toEqual({ tone: 'neutral', mark: 'dot', word: state.replaceAll('_', ' ') })
  })
})
