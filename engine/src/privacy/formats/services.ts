/** Tokens of messaging, payment, mail, monitoring and other services. */
import { alphanumeric, type Format, lowerHex, shaped, token, urlSafe } from '../format.ts'
import { isMixed } from '../guards.ts'
import { named } from './named.ts'

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export const serviceFormats: readonly Format[] = [
  shaped({
    kind: 'slack_token',
    anchors: ['xoxa', 'xoxb', 'xoxc', 'xoxp', 'xoxo', 'xoxs', 'xoxr', 'xoxe'],
    shape: /(?<![A-Za-z0-9])xox[abcposre](?:\.xox[bp])?-(?:\d-)?[A-Za-z0-9-]{24,300}(?![A-Za-z0-9])/,
    guard: isMixed,
  }),
  token('slack_token', ['xoxd-'], { of: 'A-Za-z0-9%+/=_-', length: [40, 400] }),
  shaped({
    kind: 'slack_token',
    anchors: ['xapp-'],
    shape: /(?<![A-Za-z0-9])xapp-\d-A[A-Z0-9]{8,14}-\d{8,16}-[a-z0-9]{32,80}(?![A-Za-z0-9])/,
  }),
  shaped({
    kind: 'slack_webhook',
    anchors: ['hooks.slack.com/'],
    shape: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9+/]{30,120})/,
  }),
  shaped({
    kind: 'discord_token',
    anchors: ['mt', 'md', 'mj', 'mz', 'nd', 'nt', 'nj', 'nz', 'od', 'ot'],
    shape: /(?<![A-Za-z0-9_.])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])/,
    guard: (secret) => /^\d{15,22}$/.test(Buffer.from(secret.split('.')[0] ?? '', 'base64').toString('latin1')),
  }),
  shaped({
    kind: 'discord_webhook',
    anchors: ['discord.com/api/', 'discordapp.com/api/'],
    shape: /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{17,20}\/(?<secret>[A-Za-z0-9_-]{60,80})/,
  }),
  shaped({
    kind: 'telegram_token',
    anchors: [':aa'],
    edge: 'any',
    lead: { chars: /\d/, most: 10 },
    shape: /(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/,
  }),
  shaped({
    kind: 'teams_webhook',
    anchors: ['webhookb2/'],
    shape: new RegExp(`webhookb2/(?<secret>${guid}@${guid}/IncomingWebhook/[0-9a-f]{32}(?:/${guid})?)`),
  }),
  shaped({
    kind: 'stripe_key',
    anchors: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    shape: /(?<![A-Za-z0-9])[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,99}(?![A-Za-z0-9])/,
  }),
  token('webhook_secret', ['whsec_'], { of: 'A-Za-z0-9+/=', length: [32, 64] }),
  token('twilio_key', ['SK'], { of: lowerHex, length: 32 }),
  shaped({
    kind: 'sendgrid_key',
    anchors: ['sg.'],
    shape: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/,
  }),
  token('mailgun_key', ['key-'], { of: lowerHex, length: 32 }),
  shaped({
    kind: 'mailchimp_key',
    anchors: ['-us'],
    edge: 'any',
    lead: { chars: /[0-9a-f]/, most: 32 },
    shape: /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/,
  }),
  token('shopify_token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], { of: '0-9a-fA-F', length: 32 }),
  token('square_token', ['sq0atp-', 'sq0csp-'], { of: urlSafe, length: [22, 43] }),
  named('square_token', ['square'], 'EAAA[A-Za-z0-9_-]{60}'),
  shaped({
    kind: 'grafana_token',
    anchors: ['glsa_'],
    shape: /(?<![A-Za-z0-9])glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}(?![A-Za-z0-9])/,
  }),
  token('grafana_token', ['glc_'], { of: 'A-Za-z0-9+/=', length: [32, 400] }),
  token('sentry_token', ['sntrys_'], { of: 'A-Za-z0-9+/=_', length: [40, 500] }),
  token('sentry_token', ['sntryu_'], { of: lowerHex, length: 64 }),
  token('newrelic_key', ['NRAK-'], { of: 'A-Z0-9', length: 27 }),
  token('newrelic_key', ['NRII-'], { of: urlSafe, length: 32 }),
  shaped({
    kind: 'newrelic_key',
    anchors: ['nral'],
    edge: 'any',
    lead: { chars: /[0-9a-fx]/, most: 36 },
    shape: /(?<![A-Za-z0-9])[0-9a-fx]{36}NRAL(?![A-Za-z0-9])/,
  }),
  shaped({
    kind: 'notion_token',
    anchors: ['ntn_'],
    shape: /(?<![A-Za-z0-9])ntn_\d{11}[A-Za-z0-9]{35}(?![A-Za-z0-9])/,
  }),
  token('figma_token', ['figd_'], { of: urlSafe, length: [40, 60] }),
  shaped({
    kind: 'postman_key',
    anchors: ['pmak-'],
    shape: /(?<![A-Za-z0-9])PMAK-[0-9a-f]{24}-[0-9a-f]{34}(?![A-Za-z0-9])/,
  }),
  shaped({
    kind: 'onepassword_key',
    anchors: ['a3-'],
    shape: /(?<![A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Za-z0-9])/,
  }),
  token('onepassword_token', ['ops_eyJ'], { of: 'A-Za-z0-9+/=_-', length: [250, 4000] }),
  // Our own access tokens: stored as hashes only, so they cannot be looked for letter for letter.
  token('bridlewise_token', ['bw_'], { of: urlSafe, length: 43 }),
  token('age_key', ['AGE-SECRET-KEY-1'], { of: alphanumeric, length: 58 }),
]
