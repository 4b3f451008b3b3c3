/** Refusals of the HTTP boundary and of accounts. */
import type { RefusalEntry } from './refusal.ts'

export const boundaryRefusals = {
  host_not_allowed: {
    status: 403,
    fix: 'user',
    retry: 'never',
    message: 'This host name is not served here. Open the address that the server printed.',
  },
  origin_not_allowed: {
    status: 403,
    fix: 'user',
    retry: 'never',
    message: 'The request came from another page. Only the cockpit itself may call.',
  },
  request_malformed: { status: 400, fix: 'user', retry: 'after-change', message: 'The request is malformed: {problem}.' },
  method_not_allowed: { status: 405, fix: 'user', retry: 'after-change', message: 'This path does not take {method}.' },
  route_unknown: { status: 404, fix: 'user', retry: 'never', message: 'There is nothing at this path.' },
  thing_unknown: { status: 404, fix: 'user', retry: 'never', message: 'There is no such {kind}, or it is not yours.' },
  content_type_not_json: { status: 415, fix: 'user', retry: 'after-change', message: 'Send the body as application/json.' },
  body_too_large: {
    status: 413,
    fix: 'user',
    retry: 'after-change',
    message: 'The body is larger than the {limit} bytes accepted here.',
  },
  input_invalid: { status: 400, fix: 'user', retry: 'after-change', message: 'The input does not fit: {problem}.' },
  rate_limited: { status: 429, fix: 'user', retry: 'later', message: 'Too many requests. Try again in {seconds} s.' },
  session_missing: { status: 401, fix: 'user', retry: 'after-change', message: 'Sign in first.' },
  token_missing: {
    status: 401,
    fix: 'user',
    retry: 'after-change',
    message: 'The x-bridlewise-token header is missing or does not belong to this session. Sign in again.',
  },
  access_denied: { status: 403, fix: 'operator', retry: 'after-change', message: 'This needs an administrator.' },
  setup_done: { status: 409, fix: 'user', retry: 'never', message: 'Setup was already done. Sign in instead.' },
  setup_required: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'There is no account yet. Open the cockpit and finish the setup.',
  },
  setup_code_wrong: {
    status: 403,
    fix: 'user',
    retry: 'after-change',
    message: 'The setup code does not match. It stands in the file setup-code in the data home, and in the terminal.',
  },
  credentials_wrong: { status: 401, fix: 'user', retry: 'after-change', message: 'User name or password is wrong.' },
  password_too_weak: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'Choose a password of at least {least} characters.',
  },
  idempotency_key_reused: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'This Idempotency-Key was used for a different request. Use a new one.',
  },
  idempotency_key_invalid: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'An Idempotency-Key is 8 to 128 letters, digits, "-" or "_".',
  },
  streams_too_many: {
    status: 429,
    fix: 'user',
    retry: 'later',
    message: 'This account has {limit} streams open. Close a tab first.',
  },
  server_stopping: { status: 503, fix: 'operator', retry: 'later', message: 'The server is stopping.' },
  server_fault: {
    status: 500,
    fix: 'operator',
    retry: 'later',
    message: 'Something broke here. Nothing more is known on this side; the log has the details under {fault}.',
  },
  server_unreachable: {
    status: 503,
    fix: 'user',
    retry: 'later',
    message: 'The server does not answer. Check that it is running.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
