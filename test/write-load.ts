import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Answer, Request } from './gatehouse.ts'

export type Call = (method: string, path: string, request?: Request) => Promise<Answer>

type Creation = { kind: 'repository' | 'team'; name: string; key: string; id: string }
type Updates = { sent: number; acknowledged: number }
type Fixed = { repositories: { id: number; name: string }[]; teamId: string; boardSlug: string }

export type WriteLoad = Awaited<ReturnType<typeof createWriteLoad>>

/**
 * Writes without end, and remembers which were acknowledged: new repositories and teams, each with a key to repeat it by,
 * and numbered updates of one team and one board. The number decides name and list alike, so half an update would show.
 */
export async function createWriteLoad(call: Call, deploymentId: number) {
  const creations: Creation[] = []
  const updates = { team: newUpdates(), board: newUpdates() }
  const fixed = await makeFixed(call, deploymentId)
  let running = true

  async function create(kind: Creation['kind'], by: Call): Promise<void> {
    const creation = { kind, name: `${kind} ${creations.length}`.replace(' ', '-'), key: randomUUID(), id: '' }
    creations.push(creation)
    await send(creation, by)
  }

  async function send(creation: Creation, by: Call): Promise<void> {
    const { kind, name, key } = creation
    const [path, body] =
      kind === 'team'
        ? [teamsPath(deploymentId), { team: { name } }]
        : [repositoriesPath(deploymentId), { name, tags: ['crash'] }]
    const answer = await by('POST', path, { body, headers: { 'idempotency-key': key } })
    const { id } = accepted(answer)[kind]
    if (creation.id && creation.id !== id) throw new Error(`${name} was ${creation.id} and is now ${id}`)
    creation.id = id
  }

  async function updateTeam(by: Call): Promise<void> {
    const number = ++updates.team.sent
    const repositories = chosen(fixed, number).map(({ id }) => ({ repositoryId: String(id) }))
    const body = { team: { name: `State ${number}`, repositories } }
    accepted(await by('PATCH', `${teamsPath(deploymentId)}/${fixed.teamId}`, { body }))
    updates.team.acknowledged = number
  }

  async function updateBoard(by: Call): Promise<void> {
    const number = ++updates.board.sent
    const body = { name: `State ${number}`, assigned_repos: chosen(fixed, number).map(({ name }) => name) }
    accepted(await by('PUT', `${boardsPath(deploymentId)}/${fixed.boardSlug}/overview`, { body }))
    updates.board.acknowledged = number
  }

  /** Until `stop`; a failure is what this is about, so it only counts as not acknowledged. */
  async function run(by: Call): Promise<void> {
    running = true
    const kinds = [
      () => create('repository', by),
      () => create('team', by),
      () => updateTeam(by),
      () => updateBoard(by),
    ]
    await Promise.all(
      kinds.map(async (write) => {
        while (running) await write().catch(() => delay(20))
      }),
    )
  }

  return {
    run,
    stop: () => {
      running = false
    },
    acknowledged: () => creations.filter(({ id }) => id).length,
    /** Repeats every creation that was not acknowledged, and some that were. */
    async repeat(by: Call): Promise<void> {
      const some = creations.filter(({ id }, index) => !id || index % 50 === 0)
      for (const creation of some) await send(creation, by)
    },
    /** Everything in the database that is not as the answers said, in words. */
    faults: (client: pg.Client) => findFaults(client, fixed, creations, updates),
  }
}

async function findFaults(
  client: pg.Client,
  fixed: Fixed,
  creations: Creation[],
  updates: { team: Updates; board: Updates },
): Promise<string[]> {
  const faults: string[] = []
  for (const kind of ['repository', 'team'] as const) {
    const rows = await count(client, `select name as key from ${kind} where name like '${kind}-%'`)
    const audited = await count(
      client,
      `select detail ->> 'name' as key from audit_event where action = '${kind}.create' and detail ->> 'name' like '${kind}-%'`,
    )
    for (const { name, id } of creations.filter((creation) => creation.kind === kind)) {
      const [there, told] = [rows.get(name) ?? 0, audited.get(name) ?? 0]
      if (id && there === 0) faults.push(`${name} was acknowledged and is lost`)
      if (there > 1) faults.push(`${name} is there ${there} times`)
      if (there !== told) faults.push(`${name} is there ${there} times and in the audit log ${told} times`)
    }
  }
  const team = await client.query(
    `select name, array(select repository_id from team_repository where team_id = team.id order by 1) as list
     from team where id = $1`,
    [fixed.teamId],
  )
  const board = await client.query(
    `select name, array(select repository_id from ruleboard_repository where ruleboard_id = ruleboard.id order by 1) as list
     from ruleboard where slug = $1`,
    [fixed.boardSlug],
  )
  return [
    ...faults,
    ...notWhole('team', team.rows[0], fixed, updates.team),
    ...notWhole('board', board.rows[0], fixed, updates.board),
  ]
}

function notWhole(
  what: string,
  row: { name: string; list: string[] },
  fixed: Fixed,
  { sent, acknowledged }: Updates,
): string[] {
  const number = Number(row.name.replace('State ', ''))
  const expected = chosen(fixed, number).map(({ id }) => String(id))
  const faults: string[] = []
  if (!(number >= acknowledged && number <= sent))
    faults.push(`the ${what} is in state ${number}, acknowledged was ${acknowledged}, sent ${sent}`)
  if (expected.join() !== row.list.join()) faults.push(`the ${what} has half of state ${number}: ${row.list}`)
  return faults
}

/** A subset of the repositories, another one for each number up to eight. */
function chosen({ repositories }: Fixed, number: number): Fixed['repositories'] {
  return repositories.filter((_, index) => (number >> index) % 2 === 1)
}

async function count(client: pg.Client, query: string): Promise<Map<string, number>> {
  const { rows } = await client.query(`select key, count(*)::int as number from (${query}) as found group by key`)
  return new Map(rows.map(({ key, number }) => [key, number]))
}

async function makeFixed(call: Call, deploymentId: number): Promise<Fixed> {
  const repositories: Fixed['repositories'] = []
  for (const name of ['fixed-a', 'fixed-b', 'fixed-c']) {
    repositories.push(accepted(await call('POST', repositoriesPath(deploymentId), { body: { name } })).repository)
  }
  const team = accepted(await call('POST', teamsPath(deploymentId), { body: { team: { name: 'State 0' } } }))
  const board = { name: 'State 0', type: 'RULEBOARD_TYPE_SAST' }
  const { slug } = accepted(await call('POST', boardsPath(deploymentId), { body: board }))
  return { repositories, teamId: team.team.id, boardSlug: slug }
}

function newUpdates(): Updates {
  return { sent: 0, acknowledged: 0 }
}

function accepted(answer: Answer) {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

const teamsPath = (deploymentId: number) => `/api/permissions/v2/deployments/${deploymentId}/teams`
const boardsPath = (deploymentId: number) => `/api/agent/deployments/${deploymentId}/ruleboards`
const repositoriesPath = (deploymentId: number) => `/api/repositories/v1/deployments/${deploymentId}/repositories`
