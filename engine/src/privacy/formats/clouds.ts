/** Keys of clouds, hosting and databases as a service. */
import { alphanumeric, type Format, lowerHex, shaped, token, urlSafe } from '../format.ts'
import { named } from './named.ts'

export const cloudFormats: readonly Format[] = [
  token('aws_access_key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], {
    of: 'A-Z2-7',
    length: 16,
    guard: (secret) => !secret.endsWith('EXAMPLE'),
  }),
  shaped({
    kind: 'aws_secret_key',
    anchors: ['aws', 'secret_access_key', 'secretaccesskey'],
    edge: 'any',
    shape:
      /(?:aws[a-z0-9_.-]{0,30}key|secret_?access_?key)[a-z0-9_]{0,10}["'`]?\]?\s{0,8}(?:=>|:=|[:=,])\s{0,8}["'`]?(?<secret>[a-z0-9/+]{40})(?![a-z0-9/+=])/i,
    guard: (secret) => !secret.endsWith('EXAMPLEKEY'),
  }),
  shaped({
    kind: 'aws_session_token',
    anchors: ['aws_session_token', 'sessiontoken'],
    edge: 'any',
    shape: /(?:aws_session_token|sessiontoken)["'`]?\s{0,8}[:=]\s{0,8}["'`]?(?<secret>[a-z0-9/+=]{100,2000})(?![a-z0-9/+=])/i,
  }),
  token('google_api_key', ['AIza'], { of: urlSafe, length: 35 }),
  token('google_oauth_token', ['ya29.'], { of: urlSafe, length: [20, 400] }),
  token('google_client_secret', ['GOCSPX-'], { of: urlSafe, length: 28 }),
  shaped({
    kind: 'azure_client_secret',
    anchors: ['q~'],
    edge: 'any',
    lead: { chars: /[A-Za-z0-9_~.-]/, most: 4 },
    shape: /(?<![A-Za-z0-9])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{30,33}[A-Za-z0-9_~-](?![A-Za-z0-9_~-])/,
  }),
  shaped({
    kind: 'azure_storage_key',
    anchors: ['accountkey='],
    shape: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/i,
  }),
  shaped({
    kind: 'azure_signature',
    anchors: ['sig='],
    shape: /(?<=[?&;])sig=(?<secret>[A-Za-z0-9%+/_-]{40,100}(?:=|%3D))/i,
  }),
  token('digitalocean_token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], { of: lowerHex, length: 64 }),
  named('cloudflare_token', ['cloudflare', 'cf_api'], '[A-Za-z0-9_-]{37,40}'),
  token('cloudflare_origin_key', ['v1.0-'], { of: '0-9a-f-', length: [120, 200] }),
  token('fly_token', ['fo1_'], { of: urlSafe, length: 43 }),
  token('fly_token', ['fm1_', 'fm1r_', 'fm1a_', 'fm2_'], { of: 'A-Za-z0-9+/=_', length: [100, 2000] }),
  named('vercel_token', ['vercel'], '[A-Za-z0-9]{24}'),
  named('netlify_token', ['netlify'], '[A-Za-z0-9_-]{40,46}'),
  token('supabase_key', ['sbp_'], { of: lowerHex, length: 40 }),
  token('supabase_key', ['sb_secret_'], { of: urlSafe, length: [20, 80] }),
  token('planetscale_key', ['pscale_tkn_', 'pscale_oauth_', 'pscale_pw_'], { of: 'A-Za-z0-9_=.-', length: [32, 64] }),
  shaped({
    kind: 'databricks_token',
    anchors: ['dapi'],
    shape: /(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])/,
  }),
  token('vault_token', ['hvs.', 'hvb.', 'hvr.'], { of: urlSafe, length: [90, 300] }),
  shaped({
    kind: 'terraform_token',
    anchors: ['.atlasv1.'],
    edge: 'any',
    lead: { chars: /[A-Za-z0-9]/, most: 14 },
    shape: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}(?![A-Za-z0-9_-])/,
  }),
  token('pulumi_token', ['pul-'], { of: lowerHex, length: 40 }),
  token('linear_key', ['lin_api_'], { of: alphanumeric, length: 40 }),
]
