/** Tokens of code hosts and package registries. */
import { alphanumeric, type Format, lowerHex, shaped, token, urlSafe } from '../format.ts'
import { isLogin, isMixed, isReference } from '../guards.ts'

const gitlabPrefixes = 'glpat- gldt- glrt- glptt- glft- glimt- glagent- gloas- glcbt- glsoat- glffct-'.split(' ')

export const codeHostFormats: readonly Format[] = [
  token('github_token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], { of: alphanumeric, length: [36, 255] }),
  shaped({
    kind: 'github_token',
    anchors: ['github_pat_'],
    shape: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}(?![A-Za-z0-9])/,
  }),
  shaped({
    kind: 'gitlab_token',
    anchors: gitlabPrefixes,
    shape: new RegExp(
      `(?<![A-Za-z0-9])(?:${gitlabPrefixes.join('|')})[A-Za-z0-9_-]{20,300}(?:\\.[a-z0-9]{2,9}){0,2}(?![A-Za-z0-9_-])`,
    ),
  }),
  token('bitbucket_password', ['ATBB'], { of: alphanumeric, length: 32 }),
  token('atlassian_token', ['ATATT3'], { of: 'A-Za-z0-9_=-', length: [150, 260] }),
  token('npm_token', ['npm_'], { of: alphanumeric, length: 36 }),
  shaped({
    kind: 'npm_token',
    anchors: ['_auth'],
    edge: 'any',
    shape: /_auth(?:Token)?\s{0,4}=\s{0,4}["']?(?<secret>[A-Za-z0-9+/=_.-]{16,1000})/,
    guard: (secret) => !isReference(secret),
  }),
  token('pypi_token', ['pypi-AgE'], { of: urlSafe, length: [50, 300] }),
  token('rubygems_key', ['rubygems_'], { of: lowerHex, length: 48 }),
  token('crates_token', ['cio'], { of: alphanumeric, length: 32, guard: isMixed }),
  token('docker_token', ['dckr_pat_', 'dckr_oat_'], { of: urlSafe, length: [27, 36] }),
  shaped({
    kind: 'docker_login',
    anchors: ['"auth"'],
    edge: 'any',
    shape: /"auth"\s{0,8}:\s{0,8}"(?<secret>[A-Za-z0-9+/]{8,400}={0,2})"/,
    guard: (secret) => isLogin(Buffer.from(secret, 'base64').toString('latin1')),
  }),
]
