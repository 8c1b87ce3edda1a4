import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import {
  findAccount,
  hashPassword,
  insertFirstAccount,
  isPassword,
  isWeak,
  weakness,
} from '../capabilities/people/public.ts'
import type { Application } from '../compose/compose.ts'
import { permitted } from '../kernel/access/permission.ts'
import { whileNobodyStartsFirst } from '../kernel/database/migrations/migrate.ts'
import { SettingsProblem } from '../settings/setting-values.ts'
import type { Settings } from '../settings/settings.ts'
import { createFirstSignIn } from './first-sign-in.ts'
import type { OpenDatabase } from './open-database.ts'

export type Welcome = { email: string; password: string; token: string; deploymentId: number }

type Owner = { email: string; password: string; personId: number; deploymentId: number }

/**
 * On an empty database: deployment 1, its owner and a token, told by a file in the data folder. A first start that ended
 * before the file was whole is brought to its end. One process at a time: several may start at once on an empty database. The lock is
 * not held by a connection of the pools, which may have a single one for what is done meanwhile.
 */
export async function firstStart(
  application: Application,
  settings: Settings,
  { asOwner }: Pick<OpenDatabase, 'asOwner'>,
): Promise<Welcome | undefined> {
  const owner = await asOwner((to) =>
    whileNobodyStartsFirst(to, async () =>
      (await application.deployments.count()) === 0
        ? makeOwner(application, settings)
        : interruptedOwner(application, settings),
    ),
  )
  if (!owner) return undefined
  const { email, password, deploymentId } = owner
  const { secret } = await application.tokens.create(actorOf(owner), { name: 'First start', webApi: true })
  createFirstSignIn(settings.dataFolder).keep({ email, password, token: secret })
  return { email, password, token: secret, deploymentId }
}

async function makeOwner(application: Application, settings: Settings): Promise<Owner> {
  const email = settings.ownerEmail
  const password = settings.ownerPassword ?? randomBytes(15).toString('base64url')
  if (isWeak(password, { email, name: '' })) throw new SettingsProblem(`GATEHOUSE_OWNER_PASSWORD ${weakness}.`)
  const passwordHash = await hashPassword(password)
  createFirstSignIn(settings.dataFolder).keep({ email, password })
  const personId = await application.db.identity((tx) =>
    insertFirstAccount(tx, { email, name: email.split('@')[0]!, passwordHash }),
  )
  const deployment = await application.deployments.make(personId, 'first-start', {
    name: 'Gatehouse',
    slug: 'gatehouse',
  })
  return { email, password, personId, deploymentId: deployment.id }
}

/** The owner that an earlier first start made, if it ended before the file was whole. */
async function interruptedOwner(application: Application, settings: Settings): Promise<Owner | undefined> {
  const firstSignIn = createFirstSignIn(settings.dataFolder)
  const kept = firstSignIn.read()
  if (!kept) return undefined
  const { email, password, token } = kept
  const account = await application.db.identity((tx) => findAccount(tx, email))
  // Changed by other ways than ours, for example by another process or on the command line.
  if (!account || !(await isPassword(password, account.password_hash))) {
    firstSignIn.forget()
    return undefined
  }
  if (token) return undefined
  const [found] = await application.db.identityQuery<{
    deploymentId: number
  }>(sql`select deployment_id as "deploymentId"
    from membership where person_id = ${account.id} and role = 'owner' order by deployment_id limit 1`)
  return found && { email, password, personId: account.id, ...found }
}

function actorOf({ deploymentId, personId }: Owner) {
  const permissions = permitted('owner', undefined)
  return { deploymentId, personId, tokenId: 0, role: 'owner', permissions, requestId: 'first-start' } as const
}
