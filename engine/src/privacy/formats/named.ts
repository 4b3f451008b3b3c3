/** Values with no looks of their own: known only by the vendor's name in front. */
import { escapePattern, type Format, shaped } from '../format.ts'
import { isMixed } from '../guards.ts'

/** A format told by a name that begins with a vendor's and by the exact form of the value after it. */
export function named(kind: string, vendors: readonly string[], value: string): Format {
  const name = `(?:${vendors.map(escapePattern).join('|')})[A-Za-z0-9_.-]{0,40}["'\`]?\\]?`
  const shape = new RegExp(`${name}\\s{0,8}(?:=>|:=|[:=,])\\s{0,8}["'\`]?(?<secret>${value})(?![A-Za-z0-9_/+-])`, 'i')
  return shaped({ kind, anchors: vendors, edge: 'any', shape, guard: isMixed })
}
