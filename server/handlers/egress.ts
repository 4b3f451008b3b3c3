import { randomBytes } from 'node:crypto'
import { type Clock, checkEgressRule, type Ids } from '@bridlewise/engine'
import type { egress, Handlers, KeptRule } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { describeEgressRule } from '@bridlewise/shared/wire'
import {
  composeParts,
  findSent,
  type HeldPlaces,
  holdPlace,
  readHeldPlaces,
  readRedactions,
  tryRule,
  writeExport,
} from '../egress/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { RunControl } from '../runs/index.ts'
import type { EgressRuleRecord, Store } from '../storage/index.ts'

export interface EgressHandlerParts {
  readonly store: Pick<Store, 'departures' | 'egressRules' | 'projects' | 'providers' | 'settings' | 'chats'>
  readonly control: Pick<RunControl, 'held' | 'answerHeld'>
  readonly clock: Clock
  readonly ids: Ids
}

export function createEgressHandlers({ store, control, clock, ids }: EgressHandlerParts): Handlers<typeof egress, CallContext> {
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
      const given = {
        runId,
        secrets: providers.secrets(owner),
        rules: readRedactions(store, owner),
        salt: randomBytes(16).toString('hex'),
      }
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
    holds: async (context) => ok(tellPlaces(readHeldPlaces(store, callerOf(context)))),
    holdProject: async (context, { projectId, held }) => {
      const owner = callerOf(context)
      if (!projects.reach(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
      return ok(tellPlaces(holdPlace(store, owner, { place: { projectId, chatId: null }, held })))
    },
    holdChat: async (context, { chatId, held }) => {
      const owner = callerOf(context)
      if (!store.chats.get(owner, chatId)) return refuse('thing_unknown', { kind: 'chat' })
      return ok(tellPlaces(holdPlace(store, owner, { place: { projectId: null, chatId }, held })))
    },
    held: async (context, { runId }) => {
      const held = control.held(callerOf(context), runId)
      return held.ok ? ok({ held: held.value.map(({ request }) => request) }) : held
    },
    preview: async (context, { runId, holdId }) => {
      const held = control.held(callerOf(context), runId)
      if (!held.ok) return held
      const found = held.value.find(({ request }) => request.id === holdId)
      if (!found) return refuse('hold_over')
      const parts = composeParts(found.leaving).map(({ part }) => part)
      return ok({ held: found.request, parts, body: found.leaving.body })
    },
    answer: async (context, answer) => {
      const { userId } = callerOf(context)
      const answered = await control.answerHeld({ userId, ...answer })
      return answered.ok ? ok({ run: answered.value }) : answered
    },
    tryRule: async (context, { projectId, rule, text = null }) => {
      const project = projects.reach(callerOf(context), projectId)
      if (!project) return refuse('thing_unknown', { kind: 'project' })
      const tried = await tryRule(project.path, { rule, text }, context.signal)
      return tried.ok ? ok({ ...tried.value, files: [...tried.value.files] }) : tried
    },
  }
}

function tellPlaces({ projects, chats }: HeldPlaces) {
  return { projects: [...projects], chats: [...chats] }
}

function present(record: EgressRuleRecord): KeptRule {
  return { ...record, title: describeEgressRule(record.rule) }
}
