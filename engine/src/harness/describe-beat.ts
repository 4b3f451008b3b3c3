/** A beat in a few words, for expectations a person can read. */
import type { Beat } from '@bridlewise/shared/wire'

export function describeBeat(beat: Beat): string {
  return beat.within === undefined ? describeKind(beat) : `child: ${describeKind(beat)}`
}

function describeKind(beat: Beat): string {
  switch (beat.kind) {
    case 'message':
      return `message ${beat.payload.role}`
    case 'request':
      return beat.payload.egress.fixture ? 'request fixture' : 'request'
    case 'response':
      return `response ${beat.payload.refusal?.code ?? beat.payload.finish ?? 'stopped'}`
    case 'call':
      return `call ${beat.payload.tool}`
    case 'blocked':
      return `blocked ${beat.payload.tool} ${beat.payload.refusal.code}`
    case 'result':
      return `result ${beat.payload.tool} ${beat.payload.refusal?.code ?? beat.payload.status}`
    case 'effect':
      return `effect ${beat.payload.effect} ${beat.payload.target}`
    default:
      return beat.kind
  }
}
