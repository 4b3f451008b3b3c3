/** Blockers of the gate and refusals of tools. The model reads them as results. */
import type { RefusalEntry } from './entry.ts'

export const toolRefusals = {
  tool_unknown: { status: 400, fix: 'model', retry: 'after-change', message: 'There is no tool {tool}. Available: {available}.' },
  tool_input_invalid: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message: 'The arguments of {tool} do not fit its schema: {problem}. Nothing was run.',
  },
  tool_call_cut: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message: 'The call of {tool} was cut off by the output limit. Nothing was run. Use smaller pieces.',
  },
  tool_loop: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message:
      'The same call of {tool} came {times} times with the same result. It was not run again. Do something else or finish.',
  },
  tool_not_in_mode: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'The tool {tool} changes things and this run is in plan mode.',
  },
  tool_failed: {
    status: 500,
    fix: 'operator',
    retry: 'later',
    message: 'The tool {tool} broke on our side. The log has the details under {fault}.',
  },
  tool_timed_out: {
    status: 504,
    fix: 'model',
    retry: 'after-change',
    message: '{tool} was stopped after {seconds} s. Its effects up to then are unknown.',
  },
  governance_blocked: {
    status: 403,
    fix: 'user',
    retry: 'never',
    message: '{action} is left to the person. Say what you would do and let them do it.',
  },
  capability_denied: {
    status: 403,
    fix: 'operator',
    retry: 'after-change',
    message: 'The root policy does not admit {capability} here: {reason}.',
  },
  approval_denied: {
    status: 403,
    fix: 'user',
    retry: 'after-change',
    message: '{effect} needs approval and was denied: {reason}.',
  },
  path_invalid: { status: 400, fix: 'model', retry: 'after-change', message: 'The path {path} cannot be used: {problem}.' },
  path_outside_project: {
    status: 403,
    fix: 'model',
    retry: 'after-change',
    message: 'The path {path} is outside the project. Use a path below its root.',
  },
  path_is_link: {
    status: 403,
    fix: 'model',
    retry: 'after-change',
    message: 'The path {path} goes through a symbolic link, which is not followed.',
  },
  path_missing: { status: 404, fix: 'model', retry: 'after-change', message: 'There is no {path} in the project.' },
  path_wrong_kind: { status: 400, fix: 'model', retry: 'after-change', message: 'The path {path} is {found}, not {wanted}.' },
  path_unreadable: { status: 403, fix: 'user', retry: 'after-change', message: 'The path {path} cannot be read: {problem}.' },
  path_ignored: {
    status: 403,
    fix: 'user',
    retry: 'after-change',
    message: 'The path {path} is hidden from the model by {rule}.',
  },
  path_withheld: {
    status: 403,
    fix: 'user',
    retry: 'never',
    message:
      'The file {path} is kept from every model by the rule {rule}. Its content is not to be read, by no other way either.',
  },
  path_not_given: {
    status: 403,
    fix: 'model',
    retry: 'after-change',
    message: 'The path {path} is not among those that this task may change: {given}. Say so in the answer.',
  },
  task_beyond: {
    status: 403,
    fix: 'model',
    retry: 'after-change',
    message: 'The task asks for more than there is to give: {problem}. Nothing was begun.',
  },
  task_too_many: {
    status: 429,
    fix: 'model',
    retry: 'never',
    message: 'A run gives at most {limit} tasks. Do the rest without.',
  },
  task_limit_reached: {
    status: 409,
    fix: 'model',
    retry: 'after-change',
    message: 'The task stopped at its limit of {limit}. What it did stands.',
  },
  task_budget_spent: {
    status: 409,
    fix: 'model',
    retry: 'after-change',
    message: 'The task was given {ceiling}: {used} are used, and the next request may take {projected}. What it did stands.',
  },
  file_too_large: {
    status: 413,
    fix: 'model',
    retry: 'after-change',
    message:
      'The file {path} has {bytes} bytes; at most {limit} are handled. Look at a part of it with a command such as head or sed.',
  },
  file_binary: { status: 415, fix: 'model', retry: 'never', message: 'The file {path} is not text.' },
  pattern_invalid: { status: 400, fix: 'model', retry: 'after-change', message: 'The pattern cannot be used: {problem}.' },
  pattern_too_slow: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message: 'The pattern took longer than {seconds} s and was stopped. Use a plainer one.',
  },
  git_failed: { status: 409, fix: 'model', retry: 'after-change', message: 'git answered with exit code {exitCode}: {problem}' },
} as const satisfies Readonly<Record<string, RefusalEntry>>
