import { randomBytes } from 'node:crypto'
import { type Clock, checkEgressRule, type Ids } from '@bridlewise/engine'
import type { egress, Handlers, KeptRule } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { describeEgressRule } from '@bridlewise/shared/wire'
import { findSent, tryRule, writeExport } from '../egress/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { EgressRuleRecord, Store } from '../storage/index.ts'

export interface EgressHandlerParts {
  readonly store: Pick<Store, 'departures' | 'egressRules' | 'projects' | 'providers'>
  readonly clock: Clock
  readonly ids: Ids
}

export function createEgressHandlers({ store, clock, ids }: EgressHandlerParts): Handlers<typeof egress, CallContext> {
  const { departures, egressRules, projects, providers } = store
  return {
    list: async (context, { runId }) => {
      const kept = departures.ofRun(callerOf(context), runId)
      return kept.ok ? ok({ requests: kept.value.map(({ held: _, ...request }) => request) }) : kept
    },
    recent: async (context, filter) => {
      const owner = callerOf(context)
      const { projectId } = filter
      if (projectId !== undefined && !projects.reach(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
      const { items, next } = departures.recent(owner, filter)
      return ok({ requests: [...items], next })
    },
    parts: async (context, { runId, departureId }) => {
      const kept = departures.ofRun(callerOf(context), runId)
      if (!kept.ok) return kept
      const request = kept.value.find(({ id }) => id === departureId)
      if (!request) return refuse('thing_unknown', { kind: 'request' })
      return ok({ parts: request.held.map(({ name: _, ...part }) => part) })
    },
    export: async (context, { runId }) => {
      const owner = callerOf(context)
      const kept = departures.ofRun(owner, runId)
      if (!kept.ok) return kept
      const given = { runId, secrets: providers.secrets(owner), salt: randomBytes(16).toString('hex') }
      return ok({ lines: writeExport(kept.value, given), requests: kept.value.length })
    },
    find: async (context, { question, before = null }) => {
      const { hits, looked, more, next } = await findSent(
        departures,
        { owner: callerOf(context), question, before },
        context.signal,
      )
      return ok({ hits: hits.map(({ departure, parts }) => ({ departure, parts: [...parts] })), looked, more, next })
    },
    rules: async (context) => ok({ rules: egressRules.list(callerOf(context)).map(present) }),
    addRule: async (context, { projectId = null, rule }) => {
      const owner = callerOf(context)
      const checked = checkEgressRule(rule)
      if (!checked.ok) return checked
      if (projectId !== null && !projects.get(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
      const record = { id: ids.next('rule'), projectId, rule: checked.value, createdAt: clock.now() }
      const added = egressRules.add(owner, record)
      return added.ok ? ok({ rule: present(added.value) }) : added
    },
    removeRule: async (context, { ruleId }) => {
      const removed = egressRules.remove(callerOf(context), ruleId)
      return removed.ok ? ok({}) : removed
    },
    tryRule: async (context, { projectId, rule, text = null }) => {
      const project = projects.reach(callerOf(context), projectId)
      if (!project) return refuse('thing_unknown', { kind: 'project' })
      const tried = await tryRule(project.path, { rule, text }, context.signal)
      return tried.ok ? ok({ ...tried.value, files: [...tried.value.files] }) : tried
    },
  }
}

function present(record: EgressRuleRecord): KeptRule {
  return { ...record, title: describeEgressRule(record.rule) }
}
