/** Refusals of projects, providers, chats and runs. */
import type { RefusalEntry } from './entry.ts'

export const runRefusals = {
  project_path_invalid: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'The project path {path} cannot be used: {problem}.',
  },
  project_path_taken: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The project {name} already stands at {path}.',
  },
  project_missing: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The directory {path} is gone or was replaced. Put it back or create the project anew.',
  },
  provider_address_invalid: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'The address {baseUrl} cannot be used: {problem}.',
  },
  provider_not_configured: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'No model provider is set up. Add one under Providers, or choose the demo.',
  },
  provider_key_missing: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The provider {name} needs an API key. Add it under Providers.',
  },
  model_not_chosen: { status: 409, fix: 'user', retry: 'after-change', message: 'No model is chosen. Pick one in the header.' },
  model_not_configured: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The provider {name} has no model {modelId}. Pick another, or add it to the provider.',
  },
  run_already_claimed: {
    status: 409,
    fix: 'user',
    retry: 'never',
    message: 'This run is already being executed. Open its stream instead.',
  },
  run_already_ended: { status: 409, fix: 'user', retry: 'never', message: 'This run has already ended ({status}).' },
  run_still_active: { status: 409, fix: 'user', retry: 'later', message: 'This run is still active. Wait for it or stop it.' },
  run_not_continuable: {
    status: 409,
    fix: 'user',
    retry: 'never',
    message: 'This run cannot be continued: {problem}. Write what should be done next instead.',
  },
  waiting_full: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: '{limit} messages wait in this chat already. Remove one first.',
  },
  run_too_many: {
    status: 429,
    fix: 'user',
    retry: 'later',
    message: '{limit} runs are active. Wait for one to end or stop one.',
  },
  chat_busy: { status: 409, fix: 'user', retry: 'later', message: 'A run of this chat is still active. Wait for it or stop it.' },
  project_busy: {
    status: 409,
    fix: 'user',
    retry: 'later',
    message: '{holder} is working in this directory. Try again when it has ended.',
  },
  project_unshared: {
    status: 403,
    fix: 'user',
    retry: 'after-change',
    message:
      'The project of this chat is not shared with you any more. The chat stays for you to read; ask its owner to share it again, or start a new chat.',
  },
  project_shares_full: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'A project is shared with at most {limit} people. Stop sharing it with one of them first.',
  },
  project_needed: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'This needs a project. Choose one for the chat first.',
  },
  rewind_empty: {
    status: 409,
    fix: 'user',
    retry: 'never',
    message: 'There is nothing to go back to: no file is left that this would change. Nothing was done.',
  },
  context_irreducible: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message:
      'The context needs about {needed} tokens and the model takes {limit}. {fixed} of them are instructions, tools and goal, which no summary can shorten. Pick a model with a larger window, or shorten the instruction files.',
  },
  budget_exceeded: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message:
      'The {scope} ceiling is {ceiling}: {used} are used, and the next request may take {projected}. Raise it under Budget and continue.',
  },
  price_unknown: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message:
      'The price of {modelId} is unknown, so the {scope} ceiling of money cannot be kept. Give the price, or a {scope} ceiling of tokens, under Budget and continue.',
  },
  budget_bound: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'An administrator allows at most {most} for a {scope}.',
  },
  prices_full: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'There are {limit} prices of your own. Remove one first.',
  },
  run_no_progress: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The run paused: {reason}. Continue it, best with a word on what to do otherwise.',
  },
  compaction_pointless: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'There is nothing to summarise: what was said since the last time is short enough to be sent as it is.',
  },
  run_limit_reached: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The run stopped at its limit of {limit} {unit}.',
  },
  run_interrupted: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The server stopped while this run was active. Effects that were under way may have happened.',
  },
  run_fault: {
    status: 500,
    fix: 'operator',
    retry: 'later',
    message: 'The run broke on our side. The log has the details under {fault}.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
