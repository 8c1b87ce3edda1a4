import type { Command } from 'commander'
import sql from 'sql-template-tag'
import { composeCore } from '../../compose/core.ts'
import { type Permission, permissionNames, permitted, type Role } from '../../kernel/access/permission.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { readSettings } from '../../settings/settings.ts'
import { openMasterKey } from '../../start/master-key.ts'
import { reachDatabase, requireSchema } from '../../start/open-database.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'
import { wholeNumber } from '../whole-number.ts'

type Options = {
  name: string
  deployment: number
  person?: string
  webApi: boolean
  scope?: Permission[]
  days?: number
}

/** For who has the data folder or the database: makes a token without signing in, so it also gets a locked-out owner back in. */
export function tokenCommand(program: Command): void {
  program
    .command('token')
    .description('look after API tokens')
    .command('create')
    .description('make an API token and print it')
    .requiredOption('--name <name>', 'what it is for')
    .option('--deployment <id>', 'the deployment it is for', wholeNumber, 1)
    .option('--person <email>', 'whose it is (default: the first owner)')
    .option('--no-web-api', 'without Web API access')
    .option('--scope <permission...>', `narrow it to these permissions: ${permissionNames.join(', ')}`)
    .option('--days <number>', 'until it expires, 1 to 365 (default: 90)', wholeNumber)
    .option('--json', 'print JSON, for programs')
    .action(async (options: Options, command: Command) => {
      const settings = readSettings(process.env)
      const database = await reachDatabase(settings, createLog('silent'))
      try {
        await requireSchema(database)
        const masterKey = await openMasterKey(settings, database.connection)
        const core = composeCore({ connection: database.connection, masterKey, clock: systemClock })
        try {
          const member = await findMember(core.db, options)
          const result = await core.tokens.create(actorOf(options.deployment, member), {
            name: options.name,
            webApi: options.webApi,
            ...(options.scope ? { scopes: checkScopes(options.scope) } : {}),
            ...(options.days ? { expiresInDays: checkDays(options.days) } : {}),
          })
          print(command, result, result.secret)
        } finally {
          await core.db.close()
        }
      } finally {
        await database.stop()
      }
    })
}

type Member = { id: number; role: Role }

async function findMember(db: Database, { deployment, person }: Options): Promise<Member> {
  const [member] = await db.identityQuery<Member>(sql`select person.id, membership.role
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${deployment} and not person.is_service and membership.suspended_at is null
      and (${person ?? null}::text is null or lower(person.email) = lower(${person ?? null}))
    order by membership.role = 'owner' desc, person.id limit 1`)
  if (member) return member
  throw new Fault(
    'not_found',
    person ? `${person} is not in deployment ${deployment}.` : `There is no deployment ${deployment}.`,
  )
}

function actorOf(deploymentId: number, { id, role }: Member) {
  return { deploymentId, personId: id, tokenId: 0, role, permissions: permitted(role, undefined), requestId: 'cli' }
}

function checkScopes(scopes: Permission[]): Permission[] {
  const unknown = scopes.filter((scope) => !permissionNames.includes(scope))
  if (unknown.length > 0) throw new Fault('unprocessable', `No such permission: ${unknown.join(', ')}.`)
  return scopes
}

function checkDays(days: number): number {
  if (days < 1 || days > 365) throw new Fault('unprocessable', 'A token may be valid for 1 to 365 days.')
  return days
}
