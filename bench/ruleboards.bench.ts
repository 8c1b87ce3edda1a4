import pg from 'pg'
import { runningConnection } from '../src/postgres/process/running.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, requestRate, startPeer, startServer } from './server.ts'

const boards = 20
const rounds = 5
const seconds = 3

/** E13 with a signed token, 20 boards from the database, against the same bytes from bare Fastify. */
export const benchmark: Benchmark = {
  name: 'ruleboards',
  async run() {
    const server = await startServer()
    try {
      await fill(server)
      return [...(await againstFastify(server)), await rowLevelSecurity(server)]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

function boardsOf(server: BenchServer): string {
  return `${server.url}/api/agent/deployments/${server.deploymentId}/ruleboards`
}

async function fill(server: BenchServer): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const repository = `${server.url}/api/repositories/v1/deployments/${server.deploymentId}/repositories`
  for (let i = 0; i < boards * 2; i++) {
    await post(repository, headers, { name: `group/repository-${i}` })
  }
  for (let i = 2; i < boards; i++) {
    const assigned_repos = [`group/repository-${i}`, `group/repository-${i + boards}`]
    await post(boardsOf(server), headers, { name: `Board ${i}`, type: 'RULEBOARD_TYPE_SAST', assigned_repos })
  }
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
}

async function againstFastify(server: BenchServer): Promise<Figure[]> {
  const headers = { authorization: `Bearer ${server.token}` }
  const body = await (await fetch(boardsOf(server), { headers })).text()
  if (JSON.parse(body).ruleboards.length !== boards) throw new Error('not the boards that were made')
  const peer = await startPeer(body)
  try {
    await requestRate(boardsOf(server), headers, 2)
    await requestRate(peer.url, {}, 2)
    const pairs: [number, number][] = []
    for (let round = 0; round < rounds; round++) {
      pairs.push([await requestRate(boardsOf(server), headers, seconds), await requestRate(peer.url, {}, seconds)])
    }
    const ratio = median(pairs.map(([ours, theirs]) => ours / theirs))
    const detail = `${Math.round(median(pairs.map(([ours]) => ours)))} a second against ${Math.round(median(pairs.map(([, theirs]) => theirs)))}`
    return [
      {
        name: 'E13, 20 boards, against bare Fastify',
        value: ratio,
        unit: 'of its rate',
        limit: { atLeast: 0.3 },
        detail,
      },
    ]
  } finally {
    await peer.stop()
  }
}

/** The statement of E13 under row-level security and as a superuser, to whom it does not apply, on one connection each. */
async function rowLevelSecurity(server: BenchServer): Promise<Figure> {
  const connection = runningConnection(server.folder)
  if (!connection) throw new Error('the embedded database is not running')
  const text = `select b.slug, b.name, b.is_default, array(select r.name from ruleboard_repository br
      join repository r on r.deployment_id = br.deployment_id and r.id = br.repository_id
      where br.deployment_id = b.deployment_id and br.ruleboard_id = b.id order by r.name) as names
    from ruleboard b where b.deployment_id = $1 order by b.id`
  const statement = { name: 'boards', text, values: [server.deploymentId] }
  const protectedClient = new pg.Client(connection)
  const plainClient = new pg.Client(connection)
  await Promise.all([protectedClient.connect(), plainClient.connect()])
  await protectedClient.query('set role gatehouse_app')
  await protectedClient.query("select set_config('gatehouse.deployment', $1, false)", [String(server.deploymentId)])
  const time = async (client: pg.Client) => {
    const startedAt = performance.now()
    for (let i = 0; i < 200; i++) await client.query(statement)
    return performance.now() - startedAt
  }
  await time(protectedClient)
  await time(plainClient)
  const ratios: number[] = []
  // In short rounds, in alternation: what else the machine does meets both alike.
  for (let round = 0; round < 41; round++) ratios.push((await time(protectedClient)) / (await time(plainClient)))
  await Promise.all([protectedClient.end(), plainClient.end()])
  return { name: 'row-level security', value: median(ratios), unit: 'times without', limit: { atMost: 1.15 } }
}
