import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { ConnectionOptions } from '../../src/kernel/database/connections/connection.ts'
import { runningConnection } from '../../src/postgres/process/running.ts'
import type { BenchServer } from '../server.ts'
import { addRepositories, fillPackages } from './dependency-data.ts'
import { fillSearchable } from './finding-data.ts'
import { fillFirewall } from './firewall-data.ts'
import { addMember } from './ruleboard-data.ts'
import { type Caller, fillTenants } from './tenant-data.ts'

export type Asker = { name: string; token: string }
export type ScaleSize = { findings: number; dependencyRepositories: number; events: number; bursts: number }

/** Who asks about the large deployment, and who of the many small ones beside it. */
type Filled = { size: ScaleSize; askers: Asker[]; callers: Caller[]; at: number }

/** Reports about the last 30 days would find less in older data. */
const ageMs = 7 * 86_400_000

/** What a folder that is kept was filled with is not filled in again. */
export async function fillScale(
  server: BenchServer,
  size: ScaleSize,
  tenants: { deployments: number; callers: number },
): Promise<Filled> {
  const record = join(server.folder, 'filled.json')
  if (existsSync(record)) {
    const filled: Filled = JSON.parse(readFileSync(record, 'utf8'))
    if (filled.size.findings !== size.findings) {
      throw new Error(`${server.folder} has ${filled.size.findings} findings, and ${size.findings} are asked for`)
    }
    if (Date.now() - filled.at > ageMs) throw new Error(`${server.folder} was filled more than a week ago`)
    return filled
  }
  const connection = runningConnection(server.folder)!
  await fillSearchable(connection, server.deploymentId, size.findings)
  await fillPackages(connection, server.deploymentId)
  await addRepositories(connection, {
    deploymentId: server.deploymentId,
    repositories: size.dependencyRepositories,
  })
  await fillFirewall(connection, server.deploymentId, size.events, size.bursts)
  await inventoriesCounted(connection)
  const askers = [{ name: 'the owner', token: server.token }, await addSomebodyWhoSeesLittle(server)]
  const callers = await fillTenants(connection, server, tenants)
  const filled = { size, askers, callers, at: Date.now() }
  writeFileSync(record, JSON.stringify(filled), { mode: 0o600 })
  return filled
}

/** Tasks count their licences and packages; until they have, pages read dependencies. */
async function inventoriesCounted(connection: ConnectionOptions): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  for (;;) {
    const { rows } = await client.query(`select count(*)::int as left from inventory i
      left join inventory_licences l using (deployment_id, repository_id)
      left join inventory_packages p using (deployment_id, repository_id)
      where l.scan_id is null or p.scan_id is null`)
    if (rows[0].left === 0) break
    await setTimeout(1_000)
  }
  await client.end()
}

/** A member of one team, which has one in a hundred of the repositories: as many with findings of branches as of pull requests. */
async function addSomebodyWhoSeesLittle(server: BenchServer): Promise<Asker> {
  const email = 'little@example.com'
  const { headers } = await addMember(server, email)
  const client = new pg.Client(runningConnection(server.folder)!)
  await client.connect()
  try {
    await client.query(
      `with made as (insert into team (deployment_id, name, slug, level) values ($1, 'Few', 'few', 1) returning id),
        held as (insert into team_repository (deployment_id, team_id, repository_id)
          select $1, made.id, r.id from made, repository r where r.deployment_id = $1 and r.id % 200 in (0, 103))
      insert into team_member (deployment_id, team_id, person_id, role)
      select $1, made.id, person.id, 'TEAM_ROLE_MEMBER' from made, person where person.email = $2`,
      [server.deploymentId, email],
    )
  } finally {
    await client.end()
  }
  return { name: 'somebody who sees 1 %', token: headers.authorization.slice('Bearer '.length) }
}
