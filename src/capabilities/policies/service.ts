import type { Actor } from '../../kernel/access/actor.ts'
import { duplicateErrors } from '../../kernel/contract/duplicate-values.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { withFreeSlug } from '../../kernel/database/free-slug.ts'
import type { NewPolicy, Policy, PolicyChanges, PolicyRule } from './contract.ts'
import * as store from './store.ts'

export type PolicyService = ReturnType<typeof createPolicyService>

export function createPolicyService(db: Database) {
  async function list(actor: Actor): Promise<Policy[]> {
    return (await store.list(db.as(actor))).map(toPolicy)
  }

  async function get(actor: Actor, id: number): Promise<Policy> {
    return toPolicy(await find(db.as(actor), id))
  }

  function create(actor: Actor, policy: NewPolicy): Promise<Policy> {
    const { name, productType, rules = [] } = policy
    refuseRepeated(rules)
    return db.transaction(actor, async (tx) => {
      const id = await withFreeSlug(name, 'policy', (slug) =>
        store.insert(tx, { name, slug, productType, isDefault: false }),
      )
      await store.replaceRules(tx, id, rules)
      tx.audit({ action: 'policy.create', target: `policy:${id}`, detail: policy })
      return toPolicy(await find(tx, id))
    })
  }

  function update(actor: Actor, id: number, changes: PolicyChanges): Promise<Policy> {
    return db.transaction(actor, async (tx) => {
      const policies = await store.lockAll(tx)
      const policy = lockedIn(policies, id)
      requireVersion(actor, policy.version)
      if (policy.is_default && changes.isDefault === false) {
        throw new Fault('conflict', `'${policy.name}' is in force; make another policy the default instead.`)
      }
      const isDefault = changes.isDefault ?? policy.is_default
      const former = policies.find((other) => other.is_default && other.product_type === policy.product_type)
      // First the old one out: there is never more than one.
      if (isDefault && former && former.id !== id) await store.update(tx, former.id, { ...former, isDefault: false })
      await store.update(tx, id, { name: changes.name ?? policy.name, isDefault })
      tx.audit({ action: 'policy.update', target: `policy:${id}`, detail: changes })
      return toPolicy(await find(tx, id))
    })
  }

  function remove(actor: Actor, id: number): Promise<Policy> {
    return db.transaction(actor, async (tx) => {
      const policy = lockedIn(await store.lockAll(tx), id)
      requireVersion(actor, policy.version)
      if (policy.is_default) throw new Fault('conflict', `'${policy.name}' is in force and cannot be deleted.`)
      await store.remove(tx, id)
      tx.audit({ action: 'policy.delete', target: `policy:${id}`, detail: { name: policy.name } })
      return toPolicy(policy)
    })
  }

  function rules(actor: Actor, id: number): Promise<{ rules: PolicyRule[] }> {
    return findRules(db.as(actor), id)
  }

  function setRules(actor: Actor, id: number, to: PolicyRule[]): Promise<{ rules: PolicyRule[] }> {
    refuseRepeated(to)
    return db.transaction(actor, async (tx) => {
      const policy = lockedIn(await store.lockAll(tx), id)
      requireVersion(actor, policy.version)
      await store.replaceRules(tx, id, to)
      await store.update(tx, id, { name: policy.name, isDefault: policy.is_default })
      tx.audit({ action: 'policy.rules', target: `policy:${id}`, detail: { rules: to } })
      return findRules(tx, id)
    })
  }

  return { list, get, create, update, remove, rules, setRules }
}

/** The policies in force in every new deployment: whatever is found is commented on, nothing is blocked. */
export async function provisionPolicies(tx: Transaction): Promise<void> {
  const policies = [
    { name: 'Code', slug: 'code', productType: 'PRODUCT_TYPE_SAST', isDefault: true },
    { name: 'Secrets', slug: 'secrets', productType: 'PRODUCT_TYPE_SECRETS', isDefault: true },
  ] as const
  for (const policy of policies) {
    const id = await store.insert(tx, policy)
    if (id === undefined) throw new Error('a new deployment has policies already')
    await store.replaceRules(tx, id, [{ rule: '*', mode: 'comment' }])
    tx.audit({ action: 'policy.create', target: `policy:${id}`, detail: { name: policy.name } })
  }
}

export function refuseRepeated(rules: readonly PolicyRule[]): void {
  const names = rules.map((entry) => entry.rule)
  const errors = duplicateErrors(names, (index) => `/rules/${index}/rule`)
  if (errors.length > 0) throw new Fault('validation_failed', 'A rule may be named once.', { errors })
}

function lockedIn(policies: store.PolicyRow[], id: number): store.PolicyRow {
  const policy = policies.find((row) => row.id === id)
  if (!policy) throw notFound(id)
  return policy
}

async function find(db: Queryable, id: number): Promise<store.PolicyRow> {
  const row = await store.find(db, id)
  if (!row) throw notFound(id)
  return row
}

async function findRules(db: Queryable, id: number): Promise<{ rules: PolicyRule[] }> {
  const found = await store.findRules(db, id)
  if (!found) throw notFound(id)
  return withVersion({ rules: found.rules }, found.version)
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No policy ${id}.`)
}

function toPolicy(row: store.PolicyRow): Policy {
  const policy = {
    id: String(row.id),
    name: row.name,
    slug: row.slug,
    productType: row.product_type,
    isDefault: row.is_default,
  }
  return withVersion(policy, row.version)
}
