import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { accountFor, hashPassword } from './capabilities/people/reads.ts'
import type { House } from './compose.ts'
import { permitted } from './kernel/permission.ts'
import { createOnce } from './postgres/durable.ts'
import type { Settings } from './settings.ts'

export type Welcome = { email: string; password: string; token: string; deploymentId: number }

type Owner = { email: string; password: string; personId: number; deploymentId: number }

/**
 * On an empty database: deployment 1, its owner and a token. The sign-in is kept in the data folder until it has been
 * shown, so that a crash in between does not lock the owner out.
 */
export async function firstStart(house: House, settings: Settings): Promise<Welcome | undefined> {
  const owner = await house.db.identity(async (lock) => {
    // One process at a time: several may start at once on an empty database.
    await lock.query(sql`select pg_advisory_xact_lock(hashtext('gatehouse.first_start'))`)
    return (await house.deployments.count()) === 0 ? makeOwner(house, settings) : keptOwner(house, settings)
  })
  if (!owner) return undefined
  const { secret } = await house.tokens.create(actorOf(owner), { name: 'First start', webApi: true })
  return { email: owner.email, password: owner.password, token: secret, deploymentId: owner.deploymentId }
}

/** Called when it has been printed. */
export function forgetWelcome(settings: Settings): void {
  rmSync(fileIn(settings), { force: true })
}

async function makeOwner(house: House, settings: Settings): Promise<Owner> {
  const email = settings.ownerEmail
  const password = settings.ownerPassword ?? randomBytes(15).toString('base64url')
  const passwordHash = await hashPassword(password)
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 })
  forgetWelcome(settings)
  createOnce(fileIn(settings), JSON.stringify({ email, password }))
  const { id } = await house.db.identity((tx) =>
    accountFor(tx, { email, name: email.split('@')[0]!, passwordHash, operator: true }),
  )
  const deployment = await house.deployments.make(id, 'first-start', 'Gatehouse', 'gatehouse')
  return { email, password, personId: id, deploymentId: deployment.id }
}

/** The sign-in of an earlier first start that ended before it could be shown. */
async function keptOwner(house: House, settings: Settings): Promise<Owner | undefined> {
  if (!existsSync(fileIn(settings))) return undefined
  const { email, password } = JSON.parse(readFileSync(fileIn(settings), 'utf8')) as { email: string; password: string }
  const [found] = await house.db.identityQuery<{ personId: number; deploymentId: number }>(
    sql`select person.id as "personId", membership.deployment_id as "deploymentId"
      from person join membership on membership.person_id = person.id
      where lower(person.email) = lower(${email}) and membership.role = 'owner' order by membership.deployment_id limit 1`,
  )
  return found && { email, password, ...found }
}

function actorOf({ deploymentId, personId }: Owner) {
  const permissions = permitted('owner', undefined)
  return { deploymentId, personId, tokenId: 0, role: 'owner', permissions, requestId: 'first-start' } as const
}

function fileIn(settings: Settings): string {
  return join(settings.dataFolder, 'first-sign-in.json')
}
