import { describe, expect, test } from 'vitest'
import {
  admitDeveloperPreview,
  admitHarness,
  assertGrant,
  evaluateAdmission,
  type Grant,
  type Grants,
  policyDigest,
  requireGrant,
  rootPolicy,
} from './index.ts'

const acceptance = { acceptedBy: 'ada', acceptedAt: 1_700_000_000_000, policyDigest: policyDigest() }

describe('the root policy', () => {
  test('has the six capabilities, and a digest that is the same each time', () => {
    expect(rootPolicy.capabilities).toEqual([
      'model_invocation',
      'tool_dispatch',
      'repository_mutation',
      'process_launch',
      'network_use',
      'durable_audit',
    ])
    expect(policyDigest()).toMatch(/^[0-9a-f]{64}$/)
    expect(policyDigest()).toBe(policyDigest())
  })

  test('cannot be changed by who holds it', () => {
    expect(() => Object.assign(rootPolicy, { version: 2 })).toThrow(TypeError)
    expect(() => (rootPolicy.capabilities as string[]).push('anything')).toThrow(TypeError)
  })

  test('left to the gate, every capability is denied with a reason', () => {
    const verdicts = evaluateAdmission()
    expect(verdicts.map((verdict) => verdict.capability)).toEqual(rootPolicy.capabilities)
    for (const { decision, reason } of verdicts) {
      expect(decision).toBe('deny')
      expect(reason).toMatchObject({ code: 'governance_gate_closed', needs: expect.stringMatching(/\w/) })
    }
  })
})

describe('admission', () => {
  test('an acceptance of the policy in force grants all six', () => {
    const admitted = admitDeveloperPreview(acceptance)
    expect(admitted).toMatchObject({ ok: true, value: { basis: 'developer_preview', digest: policyDigest() } })
    for (const capability of rootPolicy.capabilities) {
      expect(admitted.ok && requireGrant(admitted.value, capability)).toMatchObject({ ok: true, value: { capability } })
    }
  })

  test.each([
    ['another text', { ...acceptance, policyDigest: '0'.repeat(64) }],
    ['nobody', { ...acceptance, acceptedBy: ' ' }],
  ])('an acceptance of or by %s grants nothing', (_name, flawed) => {
    expect(admitDeveloperPreview(flawed)).toMatchObject({ ok: false, refusal: { code: 'capability_denied' } })
  })

  test('the harness has everything but the network', () => {
    const grants = admitHarness()
    expect(grants.basis).toBe('harness')
    expect(requireGrant(grants, 'process_launch').ok).toBe(true)
    expect(requireGrant(grants, 'network_use')).toMatchObject({ ok: false, refusal: { code: 'capability_denied' } })
  })
})

describe('a forged bundle is refused', () => {
  const genuine = admitHarness()
  const Bundle = genuine.constructor as new (...all: unknown[]) => Grants
  const everything = { find: () => ({ capability: 'network_use' }), basis: 'harness', digest: policyDigest(), capabilities: [] }
  const forged: Readonly<Record<string, unknown>> = {
    'an object of the same shape': everything,
    'a spread copy': { ...genuine, ...everything },
    'an assigned copy': Object.assign({}, genuine, everything),
    'a JSON copy': JSON.parse(JSON.stringify(genuine)),
    'an object on top of a genuine one': Object.create(genuine),
    'an object with the same prototype': Object.setPrototypeOf({ ...everything }, Object.getPrototypeOf(genuine)),
    'a proxy': new Proxy(genuine, {}),
    'what its constructor makes': new Bundle('developer_preview', policyDigest(), new Map([['network_use', {}]])),
    nothing: {},
  }

  test.each(Object.entries(forged))('%s', (_name, bundle) => {
    expect(requireGrant(bundle as Grants, 'tool_dispatch')).toMatchObject({ ok: false, refusal: { code: 'capability_denied' } })
  })

  test('while the genuine one passes', () => {
    expect(requireGrant(genuine, 'tool_dispatch').ok).toBe(true)
  })
})

describe('a forged grant is a fault', () => {
  const taken = requireGrant(admitHarness(), 'repository_mutation')
  const genuine = taken.ok ? taken.value : null
  const Single = genuine?.constructor as new (capability: string) => Grant<'repository_mutation'>

  test.each([
    ['a shape', { capability: 'repository_mutation' }],
    ['a copy', { ...genuine }],
    ['an object on top', Object.create(genuine)],
    ['what its constructor makes', new Single('repository_mutation')],
    ['a grant of something else', requireGrant(admitHarness(), 'tool_dispatch')],
  ])('%s', (_name, grant) => {
    expect(() => assertGrant(grant as Grant<'repository_mutation'>, 'repository_mutation')).toThrow(TypeError)
  })

  test('while the genuine one passes, for its own capability alone', () => {
    expect(() => assertGrant(genuine as Grant<'repository_mutation'>, 'repository_mutation')).not.toThrow()
    expect(() => assertGrant(genuine as unknown as Grant<'network_use'>, 'network_use')).toThrow(TypeError)
  })
})
