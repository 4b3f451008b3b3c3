/** A profile in plain words: what works, and what is done about what does not. */
import type { Profile } from '@bridlewise/shared/wire'

export interface Fact {
  readonly name: string
  readonly works: boolean
  readonly words: string
}

const tokens = new Intl.NumberFormat('en-GB')

/** Contract: says of a shortcoming only what requests really do about it; where nothing is done, it says so. */
export function describeProfile(profile: Profile): readonly Fact[] {
  return [
    profile.streaming
      ? yes('Streaming', 'Words appear as they are written.')
      : no('Streaming', 'Each answer is asked for, and appears, in one piece.'),
    usageFact(profile),
    callsFact(profile),
    profile.callIndex && profile.callName === 'first'
      ? yes('Calls in pieces', 'They come as the protocol says.')
      : no('Calls in pieces', 'They come in another way, and are put together all the same.'),
    {
      name: 'Tool names',
      works: profile.toolNameLength >= 64,
      words:
        `Up to ${profile.toolNameLength} characters. ${profile.toolNameLength >= 64 ? '' : 'Longer ones are sent shortened and read back.'}`.trim(),
    },
    instructionsFact(profile),
    outputFact(profile),
    profile.contextWindow === null
      ? no('Context', 'Nobody states its size, so none is assumed.')
      : yes('Context', `${tokens.format(profile.contextWindow)} tokens. Requests are kept below it.`),
    profile.reasoning.field === null
      ? yes('Reasoning', 'None was seen.')
      : yes(
          'Reasoning',
          `It comes as ${profile.reasoning.field}, and is ${profile.reasoning.back === 'echo' ? 'wanted back' : 'not wanted back'}.`,
        ),
    profile.json === 'none'
      ? no('JSON on request', 'It cannot be asked for. Nothing here asks for it.')
      : yes(
          'JSON on request',
          profile.json === 'schema'
            ? 'By a schema. Nothing here asks for it yet.'
            : 'As an object. Nothing here asks for it yet.',
        ),
    profile.images ? yes('Images', 'They are taken. None is sent yet.') : no('Images', 'They are not taken. None is sent.'),
    profile.temperatureFixed
      ? no('Temperature', 'Only the usual one is taken. None is ever sent.')
      : yes('Temperature', 'It can be chosen. None is ever sent, so the usual one holds.'),
    profile.cancel
      ? yes('Stopping', 'It goes on after an answer was broken off.')
      : no('Stopping', 'After an answer was broken off, the next request may have to wait.'),
  ]
}

function usageFact({ usage }: Profile): Fact {
  if (usage === 'none') return no('Tokens used', 'They are not reported. Costs are estimates.')
  return yes('Tokens used', usage === 'asked' ? 'They are reported when asked for.' : 'They are reported unasked.')
}

function callsFact({ calls }: Profile): Fact {
  if (calls === 'none') return no('Tools', 'It takes none, so none are offered: it can only talk.')
  if (calls === 'single') return no('Tools', 'One call in each answer; work takes more requests.')
  return yes('Tools', 'Several calls in one answer.')
}

function instructionsFact({ instructions }: Profile): Fact {
  if (instructions === 'user') return no('Instructions', 'It has no role for them. They stand in front of your first message.')
  return yes('Instructions', `They are sent once, in front, in the role ${instructions}.`)
}

function outputFact({ outputLimit }: Profile): Fact {
  if (outputLimit === 'none') return no('Length of an answer', 'It takes no limit, so none is sent.')
  return yes('Length of an answer', `Limited by ${outputLimit}.`)
}

function yes(name: string, words: string): Fact {
  return { name, works: true, words }
}

function no(name: string, words: string): Fact {
  return { name, works: false, words }
}
