import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { notClaimed } from './not-claimed.ts'

it('says in the product what the documentation says, sentence by sentence', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/security-and-limits.md', import.meta.url)), 'utf8')
  const section = page.slice(page.indexOf('## What it does not claim'), page.indexOf('## Limits'))
  const written = section.split('\n').flatMap((text) => (text.startsWith('- ') ? [text.slice(2)] : []))
  expect(notClaimed).toEqual(written)
})
