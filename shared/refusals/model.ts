/** What a model endpoint can do wrong. They end a run as its outcome, never as an exception. */
import type { RefusalEntry } from './entry.ts'

export const modelRefusals = {
  endpoint_unreachable: {
    status: 502,
    fix: 'user',
    retry: 'later',
    message:
      'The model endpoint {endpoint} cannot be reached: {problem}. Check that it is running and that the address is right.',
  },
  endpoint_untrusted: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message: 'The certificate of the model endpoint {endpoint} was not accepted: {problem}. Nothing was sent. {remedy}.',
  },
  endpoint_stalled: {
    status: 504,
    fix: 'user',
    retry: 'later',
    message: 'The model endpoint sent nothing for {seconds} s while {phase}. What arrived before is kept.',
  },
  endpoint_redirected: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message: 'The model endpoint redirected to {location}. Redirects are refused; set that address yourself if you trust it.',
  },
  endpoint_unauthorized: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message: 'The model endpoint did not accept the key ({status}). Check the key under Providers.',
  },
  endpoint_rate_limited: {
    status: 502,
    fix: 'user',
    retry: 'later',
    message: 'The model endpoint asks to wait ({status}): {problem}',
  },
  endpoint_quota_used_up: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message:
      'The account at the model endpoint may not spend more ({status}): {problem}. Add credit there, or use another provider.',
  },
  endpoint_refused: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message: 'The model endpoint refused the request ({status}): {problem}',
  },
  endpoint_corrected: {
    status: 502,
    fix: 'user',
    retry: 'later',
    message:
      'The model endpoint refused how it was asked ({status}): {problem} {meaning} from now on; the request is made once more.',
  },
  endpoint_refused_again: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message:
      'The model endpoint refused the request ({status}), and once more after {items} was left out: {problem}. Summarise the chat, fork it before the trouble, or choose another model. What was left out can be sent again.',
  },
  endpoint_failed: { status: 502, fix: 'user', retry: 'later', message: 'The model endpoint failed ({status}): {problem}' },
  endpoint_nonsense: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message: 'What the endpoint answered is not a chat completion stream: {problem}. Check the address; most end in /v1.',
  },
  endpoint_broke_off: {
    status: 502,
    fix: 'user',
    retry: 'later',
    message: 'The model endpoint broke off in the middle of its answer. What arrived is kept.',
  },
  answer_too_large: {
    status: 502,
    fix: 'user',
    retry: 'after-change',
    message: 'The answer grew past {limit} bytes and was cut off there.',
  },
  egress_withheld: {
    status: 403,
    fix: 'user',
    retry: 'after-change',
    message:
      'Your message holds words of {path}, which the rule {rule} keeps from every model. Nothing was sent. Take them out, or change the rule.',
  },
  egress_rules_full: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'There are {limit} rules already. Remove one first.',
  },
  egress_unanswered: {
    status: 409,
    fix: 'user',
    retry: 'later',
    message: 'Nobody said within {minutes} min whether the request may be sent, so nothing was sent.',
  },
  hold_over: {
    status: 409,
    fix: 'user',
    retry: 'never',
    message: 'This request does not wait for an answer any more, or it is not the one that was shown. Look again.',
  },
  probe_under_way: {
    status: 409,
    fix: 'user',
    retry: 'later',
    message: 'Another model is being probed. Wait until that is over, or cancel it.',
  },
  redaction_failed: {
    status: 500,
    fix: 'operator',
    retry: 'later',
    message: 'The redactor did not finish, so nothing was sent. {problem}',
  },
  fixture_exhausted: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The recorded demo has no further words for this. Send the suggested task, or add a real provider.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
