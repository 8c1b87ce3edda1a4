import pg from 'pg'
import { type ConnectionOptions, roleNames } from '../connections/connection.ts'
import { DatabaseProblem } from '../database-problem.ts'

/**
 * The right to take a role by SET ROLE, for `pg_has_role`. Since PostgreSQL 16 a membership may be without it: one that may make roles
 * is a member of those that it made, and may only give them away.
 */
export const takingIt = "case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end"

const names = Object.values(roleNames)

/** The roles without a login that the server works as. They belong to the whole server, so another database may have made them. */
export async function ensureRoles(client: pg.Client, to: ConnectionOptions): Promise<void> {
  for (const role of names) {
    try {
      const { rows } = await client.query('select 1 from pg_roles where rolname = $1', [role])
      if (rows.length === 0) await client.query(`create role ${role} nologin`)
      const taking = await client.query(`select pg_has_role(current_user, $1, ${takingIt}) as yes`, [role])
      if (!taking.rows[0].yes) await client.query(`grant ${role} to current_user`)
    } catch (error) {
      // Another Gatehouse on another database of the same server made it in between.
      if (['42710', '23505'].includes((error as { code?: string }).code ?? '')) continue
      throw await mayNotMakeRoles(client, to, error)
    }
  }
}

/** With the statements that are still to be run. */
async function mayNotMakeRoles(
  client: pg.Client,
  { setting = 'DATABASE_URL' }: ConnectionOptions,
  cause: unknown,
): Promise<DatabaseProblem> {
  const { rows } = await client.query(
    `select current_user as login, array(select rolname::text from pg_roles where rolname = any($1)) as made`,
    [names],
  )
  const { login, made } = rows[0] as { login: string; made: string[] }
  const statements = names.filter((name) => !made.includes(name)).map((name) => `create role ${name} nologin;`)
  const grant = `grant ${names.join(', ')} to ${pg.escapeIdentifier(login)};`
  const right = statements.length > 0 ? 'create roles' : 'take the roles of Gatehouse'
  return new DatabaseProblem(
    `The user in ${setting} may not ${right}. Ask the database's administrator to run: ${[...statements, grant].join(' ')}`,
    { cause },
  )
}

export async function hasRoles(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select count(*)::int as number from pg_roles where rolname = any($1) and pg_has_role(current_user, oid, ${takingIt})
      and has_schema_privilege(oid, current_schema(), 'usage')`,
    [names],
  )
  return rows[0].number === names.length
}

/** A role that could see other tenants' rows would make every promise of isolation void: refuse to work. */
export async function requireBoundRoles(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    'select rolname from pg_roles where rolname = any($1) and (rolsuper or rolbypassrls)',
    [names],
  )
  if (rows.length > 0)
    throw new DatabaseProblem(
      `The role ${rows[0].rolname} may bypass row-level security. Take that right away from it.`,
    )
}
