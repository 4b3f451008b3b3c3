import { expect, it } from 'vitest'
import { writeCell } from './export.ts'

it.each([
  ['=HYPERLINK("http://x.invalid")', `"'=HYPERLINK(""http://x.invalid"")"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@sum', `"'@sum"`],
  ['\tx', `"'\tx"`],
  ['\rx', `"'\rx"`],
  ['  =1', `"'  =1"`],
  ['a = b', '"a = b"'],
  ['mail@home', '"mail@home"'],
  ['one, "two"\nthree', '"one, ""two""\nthree"'],
  ['', '""'],
])('a spreadsheet reads %j as a text', (text, cell) => {
  expect(writeCell(text)).toBe(cell)
})
