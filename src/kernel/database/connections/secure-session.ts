import pg from 'pg'
import { noteDistribution } from '../distribution/distributed-connections.ts'
import { hasCitus } from '../distribution/is-distributed.ts'
import {
  type ConnectionOptions,
  clientConfig,
  readOnlyServer,
  UnsafeConnection,
  type WorkingRole,
} from './connection.ts'

/** What a connection is for, and so what has to hold on it before its first statement. */
export type Session = {
  role: WorkingRole
  readOnly?: boolean
  statementTimeoutMs?: number
  idleInTransactionTimeoutMs?: number
  /** To a replica: nothing else will do, and elsewhere a replica does not. */
  onReplica?: boolean
}

type SessionFacts = {
  role: string
  pid: number
  statementTimeoutMs: number
  idleInTransactionTimeoutMs: number
  readOnly: boolean
  tenant: string
  rowSecurity: boolean
  unbound: boolean
  owner: boolean
  loginIsMore: boolean
  standby: boolean
  citus: boolean
}

const usual = {
  readOnly: false,
  statementTimeoutMs: 30_000,
  idleInTransactionTimeoutMs: 60_000,
  onReplica: false,
}
const patienceMs = 5_000
/** Roles of PostgreSQL itself that reach past the rights of tables, or out of the database. */
const rolesOfAll = [
  'pg_read_all_data',
  'pg_write_all_data',
  'pg_read_server_files',
  'pg_write_server_files',
  'pg_execute_server_program',
]

/** A connection of its own, verified. */
export async function connectSecurely(
  to: ConnectionOptions,
  session: Session,
  more: pg.ClientConfig = {},
): Promise<pg.Client> {
  const client = new pg.Client({ ...clientConfig(to, session.role), ...more })
  client.on('error', () => {})
  await client.connect()
  try {
    await secureSession(client, to, session)
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

/**
 * Makes a new connection what it is to be, and looks whether it is. By statement and not by start-up option: poolers ignore
 * options, and may hand over a connection as somebody else left it. One round trip without Citus; returns the server process behind it.
 */
export async function secureSession(client: pg.ClientBase, to: ConnectionOptions, session: Session): Promise<number> {
  const wanted = { ...usual, ...session }
  const query = { text: setUp(wanted), query_timeout: patienceMs }
  const results = (await client.query(query).catch(refuseRole)) as unknown as pg.QueryResult<SessionFacts>[]
  const found = results.at(-1)?.rows[0]
  // What it has may be old, and nothing can be written to it.
  if (found?.standby && !wanted.onReplica) throw readOnlyServer()
  const wrong = found ? faultOf(found, wanted, to.serviceLogin ?? false) : 'it does not say who it is'
  if (wrong) throw new UnsafeConnection(`The connection to the database is not safe: ${wrong}.`)
  if (found!.citus) await noteDistribution(client)
  return found!.pid
}

/** All in one message, which PostgreSQL runs as one transaction: set as a whole, or not at all. */
function setUp(wanted: Required<Session>): string {
  return `
    close all; set session authorization default; reset all; deallocate all; unlisten *;
    select pg_advisory_unlock_all(); discard temp; discard sequences;
    set role ${wanted.role};
    -- Migrated databases set it for every new session, so that processes from before the fence find out (migration 0065).
    set gatehouse.deployment = '';
    set row_security = on;
    set default_transaction_isolation = 'read committed';
    set statement_timeout = ${wanted.statementTimeoutMs};
    set idle_in_transaction_session_timeout = ${wanted.idleInTransactionTimeoutMs};
    set default_transaction_read_only = ${wanted.readOnly ? 'on' : 'off'};
    select current_user as role, pg_backend_pid() as pid, pg_is_in_recovery() as standby, ${hasCitus} as citus,
      extract(epoch from current_setting('statement_timeout')::interval)::float8 * 1000 as "statementTimeoutMs",
      extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::float8 * 1000
        as "idleInTransactionTimeoutMs",
      current_setting('default_transaction_read_only')::boolean as "readOnly",
      coalesce(current_setting('gatehouse.tenant', true), '') as tenant,
      current_setting('row_security')::boolean as "rowSecurity",
      exists (select 1 from pg_roles more where (more.rolsuper or more.rolbypassrls)
        and pg_has_role(role.oid, more.oid, 'member')) as unbound,
      exists (select 1 from pg_class where relkind in ('r', 'p', 'v', 'S')
        and relnamespace = to_regnamespace(quote_ident(current_schema())) and pg_has_role(relowner, 'member')) as owner,
      exists (select 1 from pg_roles more where pg_has_role(login.oid, more.oid, 'member')
          and (more.rolsuper or more.rolbypassrls or more.rolcreaterole or more.rolreplication
            or more.rolname = any('{${rolesOfAll.join()}}')))
        or exists (select 1 from pg_class where relnamespace = to_regnamespace(quote_ident(current_schema()))
          and relkind in ('r', 'p') and pg_has_role(session_user, relowner, 'member')) as "loginIsMore"
    from pg_roles role, pg_roles login where role.rolname = current_user and login.rolname = session_user`
}

function refuseRole(error: { code?: string }): never {
  const [noSuchRole, notAMember] = ['22023', '42501']
  if (error.code !== noSuchRole && error.code !== notAMember) throw error
  throw new UnsafeConnection(
    'The login that serves requests may not take the roles of Gatehouse. Run gatehouse db migrate as the owner of the schema.',
    { cause: error },
  )
}

const whoChanges = 'something between Gatehouse and PostgreSQL ignores or changes it'

/** The first thing that is not as it has to be; undefined where all is well. */
function faultOf(found: SessionFacts, wanted: Required<Session>, serviceLogin: boolean): string | undefined {
  const { role } = wanted
  if (found.role !== role) return `it works as ${found.role} and not as ${role}: ${whoChanges}`
  if (wanted.onReplica && !found.standby) return 'it leads to a server that is no standby'
  if (found.unbound)
    return `the role ${role}, or one that it may take, bypasses row-level security; take that right away from it`
  if (found.owner) return `the role ${role} has the rights of the tables' owner; take that membership away from it`
  if (found.tenant !== '') return 'it is bound to a tenant already, by a default of the database or of the login'
  if (!found.rowSecurity) return `row_security is off: ${whoChanges}`
  if (found.statementTimeoutMs !== wanted.statementTimeoutMs) return `it has another statement_timeout: ${whoChanges}`
  if (found.idleInTransactionTimeoutMs !== wanted.idleInTransactionTimeoutMs) {
    return `it has another idle_in_transaction_session_timeout: ${whoChanges}`
  }
  if (found.readOnly !== wanted.readOnly) return `it is ${found.readOnly ? '' : 'not '}read-only: ${whoChanges}`
  if (serviceLogin && found.loginIsMore) {
    return 'its login owns tables of Gatehouse or could get more rights; use one that is for service alone'
  }
  return undefined
}
