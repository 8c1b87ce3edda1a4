import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Outbound } from '../../outbound/client/client.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../vault/sealed-transaction.ts'
import type { CloudsecCredential, CloudsecCredentialChanges, NewCloudsecCredential, Verdict } from './contract.ts'
import { mergeCredential, requireUsableUrls } from './merge-credential.ts'
import * as store from './store.ts'
import { tokenProblem } from './token-request.ts'

export type CloudsecOptions = { db: Database; ring: KeyRing; outbound: Outbound; timeoutMs?: number }
export type CloudsecService = ReturnType<typeof createCloudsecService>

const oneRequestMs = 15_000

/** Service accounts at a cloud-security service. The secret is sealed on the way in and opened only to ask for a token. */
export function createCloudsecService({ db, ring, outbound, timeoutMs = oneRequestMs }: CloudsecOptions) {
  async function get(actor: Actor, id: number): Promise<CloudsecCredential> {
    return shown(actor, required(await store.find(db.as(actor), id), id))
  }

  async function list(actor: Actor, request: PageRequest) {
    const { rows, ...page } = cutPage(await store.list(db.as(actor), request), request)
    return { cloudsecCredentials: rows.map((row) => shown(actor, row)), ...page }
  }

  async function create(actor: Actor, sent: NewCloudsecCredential): Promise<CloudsecCredential> {
    requireUsableUrls(sent)
    const id = await store.nextId({ query: db.identityQuery })
    return sealedTransaction({ db, ring }, actor, secretFor(id, sent), async (tx, sealed) => {
      const row = await store.insert(tx, id, sent, sealed!)
      tx.audit({ action: 'cloudsec-credential.create', target: targetOf(id), detail: { clientId: sent.clientId } })
      return shown(actor, row)
    })
  }

  function update(actor: Actor, id: number, sent: CloudsecCredentialChanges): Promise<CloudsecCredential> {
    return sealedTransaction({ db, ring }, actor, secretFor(id, sent), async (tx, sealed) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      requireUsableUrls(sent)
      const changed = await store.update(tx, id, mergeCredential(row, sent), sealed)
      const { id: _, deploymentId: __, ...fields } = sent
      tx.audit({ action: 'cloudsec-credential.update', target: targetOf(id), detail: { fields: Object.keys(fields) } })
      return shown(actor, changed)
    })
  }

  function remove(actor: Actor, id: number): Promise<CloudsecCredential> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      await store.remove(tx, id)
      tx.audit({ action: 'cloudsec-credential.delete', target: targetOf(id), detail: { clientId: row.clientId } })
      return shown(actor, row)
    })
  }

  /** Where and with which client is read together with the secret, so that a change meanwhile cannot mix them. */
  async function validate(actor: Actor, id: number): Promise<Verdict> {
    const row = required(await store.findWithSecret(db.as(actor), id), id)
    const place = sealedFieldOf(sealedColumns.cloudsecClientSecret, id)
    const clientSecret = (await ring.open(String(actor.deploymentId), row.clientSecret, place)).toString('utf8')
    const { clientId, tokenUrl } = row
    const problem = await tokenProblem(outbound, { clientId, clientSecret, tokenUrl }, timeoutMs)
    return db.transaction(actor, async (tx) => {
      const verdict = { valid: problem === undefined, detail: problem ?? '' }
      tx.audit({ action: 'cloudsec-credential.validate', target: targetOf(id), detail: verdict })
      return verdict
    })
  }

  return { get, list, create, update, remove, validate }
}

function secretFor(id: number, { clientSecret }: CloudsecCredentialChanges) {
  if (clientSecret === undefined) return undefined
  return { plaintext: clientSecret, place: sealedFieldOf(sealedColumns.cloudsecClientSecret, id) }
}

function required<Row>(row: Row | undefined, id: number): Row {
  if (!row) throw new Fault('not_found', `No cloud-security credential ${id}.`)
  return row
}

function targetOf(id: number): string {
  return `cloudsec-credential:${id}`
}

function shown(actor: Actor, row: store.CredentialRow): CloudsecCredential {
  const { id, clientId, apiUrl, tokenUrl } = row
  return withVersion({ id: String(id), deploymentId: actor.deploymentId, clientId, apiUrl, tokenUrl }, row.version)
}
