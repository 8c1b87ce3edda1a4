import sql from 'sql-template-tag'
import type { Identity } from '../../../kernel/access/identity.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { isOfOneDeployment } from '../../sign-in-providers/public.ts'
import { idleSince } from '../browser/browser-secret.ts'
import type { AccountRecord } from '../history/account-record.ts'
import { endOwnSession, listOwnSessions, type OwnSession } from './own-contract.ts'

type Parts = { db: Database; clock: Clock; record: AccountRecord }
type Row = { id: string; browser: boolean; network: string; created: Date; used: Date; expires: Date }

const most = 200
const columns = sql`id, cookie_hash is not null as browser, refreshed_from as network, created_at as created,
  coalesce(used_at, refreshed_at) as used, expires_at as expires`

/** Where one is signed in, and ending what one does not recognise. */
export function ownSessionRoutes(api: Api, { db, clock, record }: Parts): void {
  api.serve(listOwnSessions, async ({ caller }) => {
    const rows = await listLive({ query: db.identityQuery }, caller, clock.now())
    return { sessions: rows.map((row) => toSession(row, caller)) }
  })
  api.serve(endOwnSession, async ({ caller, params, requestId }) => {
    const { ended, events } = await db.identity(async (tx) => {
      const ended = await end(tx, caller, params.sessionId, clock.now())
      if (!ended) throw new Fault('not_found', 'No such session of yours; it may have ended already.')
      const detail = { session: ended.id, network: ended.network }
      return { ended, events: await record.note(tx, caller.personId, { requestId, action: 'session.end', detail }) }
    })
    await record.tell(events)
    return { session: toSession(ended, caller) }
  })
}

function listLive(db: { query: IdentityQueryable['query'] }, caller: Identity, now: Date): Promise<Row[]> {
  return db.query(sql`select ${columns} from session where ${isOwn(caller)} and ${isLive(now)}
    order by used desc, id limit ${most}`)
}

/** Of this person alone: nobody else's can be named. */
async function end(db: IdentityQueryable, caller: Identity, id: string, now: Date): Promise<Row | undefined> {
  const [row] = await db.query<Row>(sql`update session set revoked_at = now()
    where id = ${id} and ${isOwn(caller)} and ${isLive(now)} returning ${columns}`)
  return row
}

/** A session that a deployment's provider vouches for says nothing about the person anywhere else: it sees those of that provider. */
function isOwn({ personId, sessionId }: Identity) {
  return sql`person_id = ${personId} and not exists (select from session own where own.id = ${sessionId}
    and ${isOfOneDeployment(sql`own.provider_id`)} and own.provider_id is distinct from session.provider_id)`
}

function isLive(now: Date) {
  return sql`revoked_at is null and expires_at > ${now} and (cookie_hash is null or used_at > ${idleSince(now)})`
}

function toSession({ id, browser, network, created, used, expires }: Row, { sessionId }: Identity): OwnSession {
  return {
    id,
    kind: browser ? 'browser' : 'token',
    current: id === sessionId,
    network,
    createdAt: created.toISOString(),
    lastUsedAt: used.toISOString(),
    expiresAt: expires.toISOString(),
  }
}
