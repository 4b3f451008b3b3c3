/** One entry of the ledger as a line: a verb, an object, and what came of it. */
import type { Beat } from '@bridlewise/shared/wire'
import { countOf, formatBytes, formatDuration, formatExact } from '../../parts/format.ts'

export interface BeatWords {
  readonly verb: string
  readonly object: string
  readonly result: string
  /** A word of the wire for the entry's state, when it has one. */
  readonly state: string | null
}

/** Characters of a message that a line shows. */
const excerpt = 160

export function describeBeat(beat: Beat): BeatWords {
  switch (beat.kind) {
    case 'run_started': {
      const { model, project, mode, fixture } = beat.payload
      const result = [mode, project?.name ?? 'no project', ...(fixture ? ['recorded words'] : [])].join(' · ')
      return { verb: 'start run', object: model.label, result, state: null }
    }
    case 'message': {
      const { role, text } = beat.payload
      const verb = role === 'user' ? 'task' : 'answer'
      return { verb, object: shorten(text), result: countOf(text.length, 'character'), state: null }
    }
    case 'compaction': {
      const { messages, method, tokensBefore, tokensAfter } = beat.payload
      const result = `${formatExact(tokensBefore)} to ${formatExact(tokensAfter)} tokens`
      return { verb: 'summary', object: countOf(messages, 'message'), result, state: method === 'tail' ? 'warning' : null }
    }
    case 'boundary': {
      const { upTo } = beat.payload
      const object = upTo === 0 ? 'from the beginning' : `after entry ${formatExact(upTo)}`
      return { verb: 'context', object, result: 'sent word for word', state: null }
    }
    case 'goal':
      return { verb: 'goal', object: shorten(beat.payload.text ?? 'none'), result: '', state: null }
    case 'quarantine': {
      const { items, refusal } = beat.payload
      return { verb: 'left out', object: items.map(({ label }) => label).join(', '), result: refusal.code, state: 'warning' }
    }
    case 'restored':
      return { verb: 'sent again', object: countOf(beat.payload.items.length, 'message'), result: '', state: null }
    case 'held': {
      const { step, answer, endpoint, bytes } = beat.payload
      const state = { send: 'done', stop: 'cancelled', none: 'timed_out' }[answer]
      return { verb: `look at ${step}`, object: endpoint, result: formatBytes(bytes), state }
    }
    case 'request': {
      const { egress, step } = beat.payload
      return {
        verb: `request ${step}`,
        object: egress.endpoint,
        result: egress.fixture ? 'nothing sent' : formatBytes(egress.bytes),
        state: null,
      }
    }
    case 'response': {
      const { step, ms, usage, refusal } = beat.payload
      const tokens = usage ? `${formatExact(usage.inputTokens)} in, ${formatExact(usage.outputTokens)} out · ` : ''
      const object = refusal?.code ?? beat.payload.finish ?? ''
      return { verb: `response ${step}`, object, result: tokens + formatDuration(ms), state: refusal ? 'failed' : null }
    }
    case 'thought': {
      const { step, reasoning, calls } = beat.payload
      const object = reasoning === '' ? 'fields of the vendor' : shorten(reasoning)
      return { verb: `thought ${step}`, object, result: countOf(Object.keys(calls).length, 'signed call'), state: null }
    }
    case 'call':
      return { ...beat.payload.headline, result: 'admitted', state: null }
    case 'blocked':
      return { ...beat.payload.headline, result: beat.payload.refusal.code, state: 'blocked' }
    case 'result': {
      const { tool, summary, status, ms } = beat.payload
      return { verb: 'result', object: tool, result: [summary, formatDuration(ms)].filter(Boolean).join(' · '), state: status }
    }
    case 'effect': {
      const { effect, target, diff } = beat.payload
      const result = diff ? `+${diff.added} −${diff.removed}` : ''
      return { verb: effect === 'file' ? 'changed' : 'ran', object: target, result, state: diff?.change ?? null }
    }
    case 'child_started': {
      const { paths, tools, budget } = beat.payload
      const object = paths.length === 0 ? 'only reads' : `may change ${paths.join(', ')}`
      const result = `${countOf(tools.length, 'tool')}, ${countOf(budget.requests, 'request')}`
      return { verb: 'start child', object, result, state: null }
    }
    case 'child_ended': {
      const { outcome } = beat.payload
      const object = `${countOf(outcome.calls, 'call')} in ${countOf(outcome.steps, 'step')}`
      return { verb: 'end child', object, result: formatDuration(outcome.ms), state: outcome.kind }
    }
    case 'finding':
      return { verb: 'finding', object: beat.payload.title, result: '', state: beat.payload.severity }
    case 'claims': {
      const { claims, fabrication } = beat.payload
      const open = claims.filter(({ verdict }) => verdict !== 'supported' && verdict !== 'earlier').length
      const state = fabrication || open > 0 ? 'warning' : null
      return {
        verb: 'claims',
        object: countOf(claims.length, 'statement'),
        result: open > 0 ? `${open} without support` : '',
        state,
      }
    }
    case 'unknown':
      return { ...beat.payload.headline, result: '', state: 'unknown' }
    case 'run_ended': {
      const { outcome } = beat.payload
      const object = `${countOf(outcome.calls, 'call')} in ${countOf(outcome.steps, 'step')}`
      return { verb: 'end run', object, result: formatDuration(outcome.ms), state: outcome.kind }
    }
    case 'retention': {
      const { streams, results, versions = 0, bytes } = beat.payload
      const contents = versions > 0 ? `, ${countOf(versions, 'content')} of changed files` : ''
      const object = `${countOf(streams, 'stream')}, ${countOf(results, 'whole result')}${contents}`
      return { verb: 'retention', object, result: `${formatBytes(bytes)} removed`, state: null }
    }
    case 'rewind': {
      const { mode, files } = beat.payload
      const object = { conversation: 'the conversation', files: 'the files', both: 'conversation and files' }[mode]
      const left = files.kept > 0 ? `, ${files.kept} left` : ''
      const result = mode === 'conversation' ? '' : `${countOf(files.restored + files.removed, 'file')} put back${left}`
      return { verb: 'rewind', object, result, state: files.kept > 0 ? 'warning' : null }
    }
    case 'forked':
      return {
        verb: 'fork',
        object: countOf(beat.payload.past.length, 'entry', 'entries'),
        result: 'from another chat',
        state: null,
      }
    case 'grant':
      return { verb: 'grant', object: beat.payload.basis, result: `accepted by ${beat.payload.acceptedBy}`, state: null }
    default:
      return beat satisfies never
  }
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > excerpt ? `${line.slice(0, excerpt)}…` : line
}
