import { describe, expect, it } from 'vitest'
import { placeBeside } from './place.ts'

const window = { width: 400, height: 300, align: 'start' as const }
const anchor = { top: 20, left: 40, width: 80, height: 28 }

describe('a floating surface', () => {
  it('hangs below its anchor where there is room', () => {
    expect(placeBeside(anchor, { width: 160, height: 120 }, window)).toEqual({ top: 52, left: 40, most: 240 })
  })

  it('stands above when only there is room', () => {
    expect(placeBeside({ ...anchor, top: 250 }, { width: 160, height: 120 }, window)).toMatchObject({ top: 126 })
  })

  it('is cut to the larger side when neither has room', () => {
    expect(placeBeside(anchor, { width: 160, height: 900 }, window)).toMatchObject({ top: 52, most: 240 })
  })

  it.each([
    ['start', 390, 232],
    ['end', 10, 8],
  ] as const)('aligned to the %s stays inside the window', (align, left, expected) => {
    expect(placeBeside({ ...anchor, left }, { width: 160, height: 40 }, { ...window, align })).toMatchObject({ left: expected })
  })
})
