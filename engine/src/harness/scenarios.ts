/** The scenarios that must hold before anything else is worth looking at. */
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { Scenario } from './scenario.ts'

const readme = { 'README.md': '# Sample\n\nA sample.\n' }
const lastWords = ['request fixture', 'response stop', 'message assistant']

export const scenarios: readonly Scenario[] = [
  {
    name: 'plain answer',
    shows: 'An answer without calls is one request, one response and one message.',
    answers: [{ text: ['It is ', 'a sample.'] }],
    expected: { outcome: 'completed', beats: lastWords },
  },
  {
    name: 'tool call',
    shows: 'A call is announced, run, and its result read by the model.',
    files: readme,
    answers: [
      { text: 'I look first.', calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] },
      { text: 'It is a sample.' },
    ],
    expected: {
      outcome: 'completed',
      beats: [
        ...['request fixture', 'response calls', 'message assistant', 'call read_file', 'result read_file done'],
        ...lastWords,
      ],
      modelRead: ['3\tA sample.'],
    },
  },
  {
    name: 'ghost tool',
    shows: 'A tool that does not exist is a blocker the model reads, and the run goes on.',
    answers: [{ calls: [{ name: 'summon', arguments: {} }] }, { text: 'Then without.' }],
    expected: {
      outcome: 'completed',
      beats: ['request fixture', 'response calls', 'blocked summon tool_unknown', ...lastWords],
      modelRead: ['There is no tool summon.'],
    },
  },
  {
    name: 'schema mismatch',
    shows: 'Arguments that do not fit are named by their place; nothing is mended and nothing runs.',
    files: readme,
    answers: [
      { calls: [{ name: 'edit', arguments: { edits: [{ path: 7, new: 'x' }] } }] },
      { calls: [{ name: 'execute_command', arguments: '{"command":"rm' }] },
      { text: 'I give up.' },
    ],
    expected: {
      outcome: 'completed',
      beats: [
        ...['request fixture', 'response calls', 'blocked edit tool_input_invalid'],
        ...['request fixture', 'response calls', 'blocked execute_command tool_call_cut'],
        ...lastWords,
      ],
      files: readme,
      modelRead: ['edits[0].path', 'cut off by the output limit'],
    },
  },
  {
    name: 'loop',
    shows: 'The same call with the same result is not run a third time.',
    files: readme,
    answers: [
      ...Array.from({ length: 3 }, () => ({ calls: [{ name: 'search_text', arguments: { pattern: 'needle' } }] })),
      { text: 'It is not there.' },
    ],
    expected: {
      outcome: 'completed',
      beats: [
        ...['request fixture', 'response calls', 'call search_text', 'result search_text done'],
        ...['request fixture', 'response calls', 'call search_text', 'result search_text done'],
        ...['request fixture', 'response calls', 'blocked search_text tool_loop'],
        ...lastWords,
      ],
    },
  },
  {
    name: 'blocked commit',
    shows: 'A commit is left to the person, whatever the model says.',
    answers: [{ calls: [{ name: 'git_commit', arguments: { message: 'Ship it' } }] }, { text: 'Please commit.' }],
    expected: {
      outcome: 'completed',
      beats: ['request fixture', 'response calls', 'blocked git_commit governance_blocked', ...lastWords],
      modelRead: ['left to the person'],
    },
  },
  {
    name: 'failed edit',
    shows: 'An edit whose text does not stand in the file is refused, and the file is as it was.',
    files: readme,
    answers: [
      { calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] },
      { calls: [{ name: 'edit', arguments: { edits: [{ path: 'README.md', old: 'An example.', new: 'x' }] } }] },
      { text: 'I misread it.' },
    ],
    expected: {
      outcome: 'completed',
      beats: [
        ...['request fixture', 'response calls', 'call read_file', 'result read_file done'],
        ...['request fixture', 'response calls', 'call edit', 'result edit edit_no_match'],
        ...lastWords,
      ],
      files: readme,
    },
  },
  {
    name: 'cancelled command',
    shows: 'A command that is stopped has its result, with unknown effects, before the run ends.',
    answers: [{ calls: [{ name: 'execute_command', arguments: { command: 'serve' } }] }],
    processes: { serve: { output: 'listening\n', ends: 'when stopped' } },
    stopAt: 'output',
    expected: {
      outcome: 'cancelled',
      beats: [
        ...['request fixture', 'response calls', 'call execute_command'],
        ...['effect process serve', 'result execute_command killed'],
      ],
    },
  },
  {
    name: 'task for a child',
    shows: 'A child does a task with no more than it was given, and the turn reads its last answer as a quotation.',
    files: readme,
    answers: [
      { calls: [{ name: 'delegate', arguments: { task: 'Look at the readme.', tools: ['read_file'] } }] },
      { calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] },
      { calls: [{ name: 'edit', arguments: { edits: [{ path: 'README.md', old: 'A sample.', new: 'x' }] } }] },
      { text: 'It is a sample.' },
      { text: 'It seems to be a sample.' },
    ],
    expected: {
      outcome: 'completed',
      beats: [
        ...['request fixture', 'response calls', 'call delegate', 'child: child_started'],
        ...['child: request fixture', 'child: response calls', 'child: call read_file', 'child: result read_file done'],
        ...['child: request fixture', 'child: response calls', 'child: blocked edit tool_unknown'],
        ...['child: request fixture', 'child: response stop', 'child: message assistant', 'child: child_ended'],
        ...['result delegate done', ...lastWords],
      ],
      files: readme,
      modelRead: ['> It is a sample.'],
    },
  },
  {
    name: 'provider that breaks off',
    shows: 'What arrived is kept, its calls are not run, and the run ends with the reason.',
    answers: [
      {
        text: 'I will',
        calls: [{ name: 'list_files', arguments: {} }],
        ends: { failed: makeRefusal('endpoint_broke_off') },
      },
    ],
    expected: {
      outcome: 'failed',
      refusal: 'endpoint_broke_off',
      beats: ['request fixture', 'response endpoint_broke_off', 'message assistant'],
    },
  },
  {
    name: 'fixture marked',
    shows: 'Recorded words are marked on every request, and a script that runs out fails instead of inventing.',
    files: readme,
    answers: [{ calls: [{ name: 'list_files', arguments: {} }] }],
    expected: {
      outcome: 'failed',
      refusal: 'fixture_exhausted',
      beats: [
        ...['request fixture', 'response calls', 'call list_files', 'result list_files done'],
        'response fixture_exhausted',
      ],
    },
  },
]
