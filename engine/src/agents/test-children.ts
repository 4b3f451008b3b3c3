/** For the tests of children: a model that answers each conversation from its own script, told apart by its first words. */
import type { ModelPort } from '../kernel/index.ts'
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from './scripted-model.ts'
import { type PlayedTurn, playTurn, type TestTurn } from './test-turn.ts'

export interface Cast extends ModelPort {
  /** What the conversation that begins with these words was asked so far. */
  requestsOf(words: string): ScriptedModel['requests']
}

/** The words of a script are its key; what no script is for gets no answer. */
export function castModel(scripts: Readonly<Record<string, readonly ScriptedAnswer[]>>): Cast {
  const models = new Map(Object.entries(scripts).map(([words, answers]) => [words, createScriptedModel(answers)]))
  const silent = createScriptedModel([])
  return {
    fixture: true,
    stream: (request, signal) => {
      const first = request.messages.find(({ role }) => role === 'user')?.text ?? ''
      return (models.get(first) ?? silent).stream(request, signal)
    },
    requestsOf: (words) => models.get(words)?.requests ?? [],
  }
}

export interface Task {
  readonly task: string
  readonly [field: string]: unknown
}

export function delegates(...tasks: readonly Task[]): ScriptedAnswer {
  return { calls: tasks.map((task) => ({ name: 'delegate', arguments: task })) }
}

/** Play a turn whose prompt is `Do it.`, with children. */
export function playCast(cast: Cast, test: Omit<TestTurn, 'answers'> = {}): Promise<PlayedTurn> {
  return playTurn({ ...test, answers: [], ports: { ...test.ports, model: cast } })
}
