import { createHmac } from 'node:crypto'
import pg from 'pg'
import { DatabaseProblem } from '../database-problem.ts'
import { takingIt } from '../migrations/working-roles.ts'
import { addressOf, type ConnectionOptions, roleNames, type WorkingRole } from './connection.ts'

const roles = Object.values(roleNames)
const inheritanceIsSaid = 160_000
// Any number will do as long as all Gatehouse processes take the same.
const lockKey = 4_283_746_504

/**
 * A login for each working role, with passwords that follow from the owner's: who knows that one knows them, and they tell
 * nothing about it. So none of them has to be kept, and the server forgets the owner's.
 */
export function loginsFor(ownerPassword: string): Record<WorkingRole, { user: string; password: string }> {
  const passwordOf = (role: string) =>
    createHmac('sha256', ownerPassword).update(`gatehouse/v1/login/${role}`).digest('base64url')
  return Object.fromEntries(roles.map((role) => [role, { user: role, password: passwordOf(role) }])) as ReturnType<
    typeof loginsFor
  >
}

/**
 * Lets those in who serve requests: the roles themselves where they have logins, else the one login that takes them. One process at a
 * time: PostgreSQL refuses two that change a role at once.
 */
export async function admitService(owner: pg.Client, service: ConnectionOptions): Promise<void> {
  await owner.query('select pg_advisory_lock($1)', [lockKey])
  try {
    if (service.logins) await setPasswords(owner, service.logins)
    else if (service.serviceLogin) await grantRoles(owner, new pg.Client(addressOf(service)).user!)
  } finally {
    await owner.query('select pg_advisory_unlock($1)', [lockKey])
  }
}

async function setPasswords(owner: pg.Client, logins: NonNullable<ConnectionOptions['logins']>): Promise<void> {
  const { rows } = await owner.query('select rolname from pg_roles where rolname = any($1)', [roles])
  for (const { rolname } of rows as { rolname: WorkingRole }[]) {
    const password = pg.escapeLiteral(logins[rolname].password)
    await owner.query(`alter role ${rolname} login noinherit password ${password}`)
  }
}

async function grantRoles(owner: pg.Client, login: string): Promise<void> {
  const { rows } = await owner.query(
    `select current_setting('server_version_num')::int as version, array(select name from unnest($2::text[]) as name
      where not pg_has_role($1, name, ${takingIt})) as missing`,
    [login, roles],
  )
  const { version, missing } = rows[0] as { version: number; missing: string[] }
  if (missing.length === 0) return
  // Taken on purpose, by SET ROLE, and never inherited.
  const terms = version >= inheritanceIsSaid ? ' with inherit false, set true' : ''
  const statement = `grant ${missing.join(', ')} to ${pg.escapeIdentifier(login)}${terms}`
  try {
    await owner.query(statement)
  } catch (error) {
    const message = `The owner of the schema may not give its roles to the login in DATABASE_URL. Ask the database's administrator to run: ${statement};`
    throw new DatabaseProblem(message, { cause: error })
  }
}
