/**
 * Calls put together from their fragments.
 *
 * Fragments belong together by `index`. Where a vendor leaves it out, an id opens a call and what has
 * no id continues the last one. Nothing is repaired: arguments that were cut stay cut.
 */
import type { ModelCall, ModelEvent } from '@bridlewise/shared/wire'
import { isRecord } from './failures.ts'
import { argumentsIn, textIn } from './texts.ts'
import { fieldsBeyond, mergeFields } from './vendor-fields.ts'

export interface CallAssembly {
  /** How many calls there are so far. */
  readonly count: number
  /** Take one fragment. Gives the characters it added, and tells through `onEvent` of a call whose name is now known. */
  accept(fragment: unknown, onEvent: (event: ModelEvent) => void): number
  /** All calls, announced if they were not. */
  end(): readonly ModelEvent[]
}

interface OpenCall {
  /** The vendor's, for telling fragments apart; empty when it gave none. */
  readonly vendorId: string
  readonly id: string
  name: string
  arguments: string
  announced: boolean
  /** Named once more after its arguments were whole: what follows is another call of that name, if anything does. */
  again: boolean
  extra: Readonly<Record<string, unknown>> | null
}

/** Longer arguments are never looked at for being whole: the look would cost more the longer they are. */
const worthParsing = 64 * 1024

const ownFields = new Set(['index', 'id', 'type', 'function'])

export function assembleCalls(nextId: () => string): CallAssembly {
  const calls: OpenCall[] = []
  const byIndex = new Map<number, OpenCall>()
  const byVendorId = new Map<string, OpenCall>()
  const taken = new Set<string>()

  function callOf(fragment: Readonly<Record<string, unknown>>, name: string, piece: string): OpenCall {
    const vendorId = textIn(fragment['id'])
    const index = indexIn(fragment['index'])
    const known = index === null ? knownWithoutIndex(vendorId, name) : byIndex.get(index)
    // Another id under an index that is taken is another call: some vendors send 0 for all of them.
    const same = known && (!vendorId || !known.vendorId || vendorId === known.vendorId)
    const call = same ? (secondUnder(known, name, piece) ?? known) : open(vendorId)
    if (index !== null) byIndex.set(index, call)
    return call
  }

  /** Another call under the id of a whole one: named again, and then with arguments that are not those it has. */
  function secondUnder(known: OpenCall, name: string, piece: string): OpenCall | null {
    if (name !== '' && name === known.name && isWhole(known.arguments)) known.again = true
    if (!known.again || piece.trim() === '' || piece === known.arguments) return null
    const second = open(known.vendorId)
    if (name === '') second.name = known.name
    return second
  }

  function knownWithoutIndex(vendorId: string, name: string): OpenCall | undefined {
    const last = calls.at(-1)
    if (vendorId) return byVendorId.get(vendorId)
    // Neither index nor id: a name after complete arguments can only begin the next call.
    return last && name && last.name && isWhole(last.arguments) ? undefined : last
  }

  function open(vendorId: string): OpenCall {
    const id = !vendorId || taken.has(vendorId) ? nextId() : vendorId
    const call: OpenCall = { vendorId, id, name: '', arguments: '', announced: false, again: false, extra: null }
    calls.push(call)
    taken.add(id)
    if (vendorId) byVendorId.set(vendorId, call)
    return call
  }

  return {
    get count() {
      return calls.length
    },
    accept(fragment, onEvent) {
      if (!isRecord(fragment)) return 0
      const content = isRecord(fragment['function']) ? fragment['function'] : {}
      const name = textIn(content['name'])
      const piece = argumentsIn(content['arguments'])
      const call = callOf(fragment, name, piece)
      call.extra = mergeFields(call.extra, fieldsBeyond(fragment, ownFields))
      // Some vendors send the whole call once more when it is complete.
      if (name && name === call.name && piece && piece === call.arguments) return 0
      // Others repeat the whole name with every fragment.
      const added = name && name !== call.name ? name : ''
      call.name += added
      call.arguments += piece
      if (piece && call.name) announce(call, onEvent)
      return added.length + piece.length
    },
    end() {
      const events: ModelEvent[] = []
      for (const call of calls) {
        announce(call, (event) => events.push(event))
        events.push({ type: 'call_end', call: toModelCall(call) })
      }
      return events
    },
  }
}

function toModelCall({ id, name, arguments: text, extra }: OpenCall): ModelCall {
  return { id, name, arguments: text, ...(extra ? { extra } : {}) }
}

function announce(call: OpenCall, onEvent: (event: ModelEvent) => void): void {
  if (!call.announced) onEvent({ type: 'call_start', callId: call.id, name: call.name })
  call.announced = true
}

function indexIn(value: unknown): number | null {
  const index = typeof value === 'string' && value !== '' ? Number(value) : value
  return Number.isInteger(index) ? (index as number) : null
}

function isWhole(text: string): boolean {
  if (text.length > worthParsing || !/[}\]]\s*$/.test(text.slice(-16))) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
