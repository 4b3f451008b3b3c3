import { expect, it } from 'vitest'
import { isExempt } from './exemptions.ts'

it.each([
  ['example.com', 'https://example.com', true],
  ['example.com', 'https://api.example.com', true],
  ['example.com', 'https://badexample.com', false],
  ['example.com', 'https://example.com.evil.test', false],
  ['.example.com', 'https://api.example.com', true],
  ['.example.com', 'https://example.com', true],
  ['*.example.com', 'https://api.example.com', true],
  ['EXAMPLE.com.', 'https://example.COM.', true],
  ['a.test, example.com', 'https://example.com', true],
  ['a.test example.com', 'https://example.com', true],
  ['*', 'https://example.com', true],
  ['', 'https://example.com', false],
  [',,', 'https://example.com', false],
  ['example.com:8443', 'https://example.com:8443', true],
  ['example.com:8443', 'https://example.com', false],
  ['example.com:443', 'https://example.com', true],
  ['10.0.0.7', 'https://10.0.0.7', true],
  ['10.0.0.7', 'https://10.0.0.70', false],
  ['0.0.7', 'https://10.0.0.7', false],
  ['10.0.0.0/8', 'https://10.9.9.9', true],
  ['10.0.0.0/8', 'https://11.0.0.1', false],
  ['10.0.0.0/8', 'https://ten.test', false],
  ['10.0.0.0/99', 'https://10.0.0.1', false],
  ['10.0.0.0/', 'https://10.0.0.1', false],
  ['fd00::/8', 'https://[fd00::1]', true],
  ['[fd00::1]:8443', 'https://[fd00::1]:8443', true],
  ['fd00:0::1', 'https://[fd00::1]', true],
  ['fd00::1', 'https://[fd00::2]', false],
])('"%s" exempts %s: %s', (list, url, expected) => {
  expect(isExempt(list, new URL(url))).toBe(expected)
})
