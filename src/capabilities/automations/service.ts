import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { KeyRing, SealedValue } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { type Secret, sealedTransactionOf } from '../../vault/sealed-transaction.ts'
import { foreignAddress } from './actions/e-mail.ts'
import { foreignAddresses } from './actions/mail-addresses.ts'
import * as runs from './actions/run-store.ts'
import type { WebhookSecret } from './actions/webhook.ts'
import { originOf } from './actions/webhook-url.ts'
import type { Automation, SentAction } from './automation.ts'
import type { AutomationChanges, NewAutomation } from './contract.ts'
import { type Abilities, requireSound } from './rules/check-automation.ts'
import { requireBounded } from './rules/filter-budget.ts'
import { toAutomation, toRun } from './show.ts'
import * as store from './store.ts'

export type AutomationService = ReturnType<typeof createAutomationService>

const mostAutomations = 500

export function createAutomationService({
  db,
  ring,
  abilities,
  mailDomains,
}: {
  db: Database
  ring: KeyRing
  abilities: Abilities
  /** Which mail may be sent to besides members of the deployment. */
  mailDomains: readonly string[]
}) {
  async function list(actor: Actor): Promise<Automation[]> {
    return (await store.list(db.as(actor))).map(toAutomation)
  }

  async function get(actor: Actor, id: number): Promise<Automation> {
    return toAutomation(required(await store.find(db.as(actor), id), id))
  }

  async function create(actor: Actor, sent: NewAutomation): Promise<Automation> {
    requireSound(sent, abilities)
    const named = sent.actions.findIndex((action) => action.id !== undefined)
    if (named >= 0) throw foreignAction(named, sent.actions[named]!.id!)
    await requireKnownAddresses(actor, sent.actions)
    const actions = await prepare(sent.actions)
    return sealedTransactionOf({ db, ring }, actor, secretsOf(actions), async (tx, sealed) => {
      if ((await store.count(tx)) >= mostAutomations) {
        throw new Fault('unprocessable', `A deployment has at most ${mostAutomations} automations.`)
      }
      requireBounded([...(await store.listFilters(tx)).map(({ filters }) => filters), sent.filters])
      const id = await store.insert(tx, { ...sent, description: sent.description ?? '', active: sent.active ?? true })
      await store.replaceActions(tx, id, withSecrets(actions, sealed))
      tx.audit({ action: 'automation.create', target: targetOf(id), detail: { name: sent.name } })
      return shown(tx, id)
    })
  }

  async function update(actor: Actor, id: number, sent: AutomationChanges): Promise<Automation> {
    const { actions: sentActions } = sent
    await requireKnownAddresses(actor, sentActions ?? [])
    const actions = sentActions && (await prepare(sentActions))
    return sealedTransactionOf({ db, ring }, actor, secretsOf(actions ?? []), async (tx, sealed) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      const { name, description, active, triggerSource, filters } = { ...row, ...sent }
      requireSound(
        { triggerSource, filters, actions: sentActions ?? row.actions.map(({ type }) => ({ type })) },
        sentActions ? abilities : 'any',
      )
      if (sent.filters) {
        const others = (await store.listFilters(tx)).filter((other) => other.id !== id)
        requireBounded([...others.map((other) => other.filters), filters])
      }
      if (actions) {
        requireOwn(row, sentActions!)
        const former = new Map(row.actions.map((action) => [action.id, action.config]))
        const whole = actions.map((action) => ({
          ...action,
          config: keepsStored(action) ? former.get(action.id)! : action.config,
        }))
        await store.replaceActions(tx, id, withSecrets(whole, sealed))
      }
      await store.update(tx, id, { name, description, active, triggerSource, filters })
      const { deploymentId: _, ...fields } = sent
      tx.audit({ action: 'automation.update', target: targetOf(id), detail: { fields: Object.keys(fields) } })
      return shown(tx, id)
    })
  }

  function remove(actor: Actor, id: number): Promise<Automation> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      await store.remove(tx, id)
      tx.audit({ action: 'automation.delete', target: targetOf(id), detail: { name: row.name } })
      return toAutomation(row)
    })
  }

  async function history(actor: Actor, id: number, actionId: number | undefined, page: PageRequest) {
    required(await store.find(db.as(actor), id), id)
    const { rows, ...rest } = cutPage(await runs.list(db.as(actor), id, actionId, page), page)
    return { runs: rows.map(toRun), ...rest }
  }

  async function requireKnownAddresses(actor: Actor, actions: readonly SentAction[]): Promise<void> {
    const places = actions.flatMap(({ config }, action) =>
      (config?.to ?? []).map((address, at) => ({ address, pointer: `/actions/${action}/config/to/${at}` })),
    )
    const addresses = places.map(({ address }) => address)
    const foreign = new Set(await foreignAddresses(db.as(actor), addresses, mailDomains))
    if (foreign.size === 0) return
    const errors = places
      .filter(({ address }) => foreign.has(address))
      .map(({ pointer }) => ({ pointer, detail: foreignAddress }))
    throw new Fault('unprocessable', 'Mail cannot be sent to every address; see errors. Nothing was changed.', {
      errors,
    })
  }

  type Prepared = store.ActionRow & { plaintext: string | undefined }

  /** Each with its id, since its secret is sealed for it; what may be shown apart from what may not. */
  async function prepare(actions: readonly SentAction[]): Promise<Prepared[]> {
    const fresh = await store.nextActionIds({ query: db.identityQuery }, actions.filter(({ id }) => !id).length)
    return actions.map(({ id, type, config = {} }) => {
      const { url, secret, ...shownConfig } = config
      const actionId = id ? Number(id) : fresh.shift()!
      if (!url || !secret || !URL.canParse(url))
        return { id: actionId, type, config: shownConfig, plaintext: undefined }
      const hidden: WebhookSecret = { url, signingKey: secret }
      return { id: actionId, type, config: { origin: originOf(url) }, plaintext: JSON.stringify(hidden) }
    })
  }

  return { list, get, create, update, remove, history }

  function secretsOf(actions: readonly Prepared[]): Secret[] {
    return actions.flatMap(({ id, plaintext }) =>
      plaintext === undefined ? [] : [{ plaintext, place: sealedFieldOf(sealedColumns.automationActionSecret, id) }],
    )
  }

  function withSecrets(actions: readonly Prepared[], sealed: readonly SealedValue[]): store.NewAction[] {
    const values = [...sealed]
    return actions.map(({ plaintext, ...action }) => ({
      ...action,
      secret: plaintext === undefined ? undefined : values.shift()!,
    }))
  }
}

/** A webhook that is named without its secrets: what leads there stays as well. */
function keepsStored({ type, plaintext }: { type: string; plaintext: string | undefined }): boolean {
  return type === 'ACTION_TYPE_WEBHOOK' && plaintext === undefined
}

/** An action that is named by its id is one of this automation, and stays what it is. */
function requireOwn(row: store.AutomationRow, sent: readonly SentAction[]): void {
  const own = new Map(row.actions.map(({ id, type }) => [id, type]))
  for (const [at, { id, type }] of sent.entries()) {
    if (id === undefined) continue
    if (own.get(Number(id)) !== type) throw foreignAction(at, id)
  }
  const ids = sent.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))
  if (new Set(ids).size !== ids.length) throw new Fault('unprocessable', 'An action is named twice.')
}

function foreignAction(at: number, id: string): Fault {
  const errors = [{ pointer: `/actions/${at}/id`, detail: `this automation has no such action ${id} of this type` }]
  return new Fault('unprocessable', 'An action is not one of this automation. Nothing was changed.', { errors })
}

async function shown(tx: Transaction, id: number): Promise<Automation> {
  return toAutomation((await store.find(tx, id))!)
}

export function required<Row>(row: Row | undefined, id: number): Row {
  if (!row) throw new Fault('not_found', `No automation ${id}.`)
  return row
}

export function targetOf(id: number): string {
  return `automation:${id}`
}
