/** What a person keeps from every model: rules for one project, and rules for all of theirs. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { EgressRule } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

export interface EgressRuleRecord {
  readonly id: string
  /** Null for a rule that holds in every project. */
  readonly projectId: string | null
  readonly rule: EgressRule
  readonly createdAt: number
}

export interface EgressRules {
  /** Contract: whoever calls has seen that the project is the owner's. Refuses: egress_rules_full. */
  add(owner: Owner, record: EgressRuleRecord): Result<EgressRuleRecord>
  /** The owner's own, oldest first. */
  list(owner: Owner): readonly EgressRuleRecord[]
  /**
   * Those that hold in a run: of whoever runs it, and of whoever the project belongs to.
   *
   * Contract: a rule that somebody made for all of their projects holds in their shared ones too.
   */
  inForce(runner: Owner, projectId: string | null): readonly EgressRuleRecord[]
  /** Refuses: thing_unknown. */
  remove(owner: Owner, id: string): Result<EgressRuleRecord>
}

/** Each one is looked at for every file. */
export const egressRulesPerOwner = 200

export const egressRule: SealedColumn = { table: 'egress_rules', column: 'rule', row: 'id', owner: 'userId' }

interface Row extends Omit<EgressRuleRecord, 'rule'>, Owner {
  readonly rule: Buffer
}

export function createEgressRules({ database, seal }: StoreContext): EgressRules {
  const insert = database.prepare<[string, string, string | null, Buffer, number]>(
    'INSERT INTO egress_rules (id, userId, projectId, rule, createdAt) VALUES (?, ?, ?, ?, ?)',
  )
  const ofOwner = database.prepare<[string], Row>('SELECT * FROM egress_rules WHERE userId = ? ORDER BY createdAt, id')
  const inForce = database.prepare<[string, string | null, string | null], Row>(
    `SELECT * FROM egress_rules WHERE (projectId IS NULL AND userId = ?) OR projectId = ?
     OR (projectId IS NULL AND userId = (SELECT userId FROM projects WHERE id = ?)) ORDER BY createdAt, id`,
  )
  const remove = database.prepare<[string, string]>('DELETE FROM egress_rules WHERE id = ? AND userId = ?')

  const toRecord = ({ id, userId, projectId, rule, createdAt }: Row): EgressRuleRecord => {
    const opened = JSON.parse(seal.open(cellIn(egressRule, { row: id, owner: userId }), rule)) as EgressRule
    return { id, projectId, rule: opened, createdAt }
  }

  return {
    add(owner, { id, projectId, rule, createdAt }) {
      if (ofOwner.all(owner.userId).length >= egressRulesPerOwner)
        return refuse('egress_rules_full', { limit: egressRulesPerOwner })
      const sealed = seal.seal(cellIn(egressRule, { row: id, owner: owner.userId }), JSON.stringify(rule))
      insert.run(id, owner.userId, projectId, sealed, createdAt)
      return ok({ id, projectId, rule, createdAt })
    },
    list: (owner) => ofOwner.all(owner.userId).map(toRecord),
    inForce: (runner, projectId) => inForce.all(runner.userId, projectId, projectId).map(toRecord),
    remove(owner, id) {
      const row = ofOwner.all(owner.userId).find((known) => known.id === id)
      if (row === undefined) return refuse('thing_unknown', { kind: 'rule' })
      remove.run(id, owner.userId)
      return ok(toRecord(row))
    },
  }
}
