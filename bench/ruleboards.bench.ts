import pg from 'pg'
import { runningConnection } from '../src/postgres/process/running.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type Asker, boards, fill } from './ruleboard-data.ts'
import { type BenchServer, removeFolder, requestRate, startPeer, startServer } from './server.ts'

const many = 16
const rounds = 5
const seconds = 3

/** E13 with tokens, 20 boards from the database, against the same bytes from bare Fastify. */
export const benchmark: Benchmark = {
  name: 'ruleboards',
  async run() {
    const server = await startServer()
    try {
      const { people, deployments } = await fill(server, many)
      return [
        await againstFastify(server, `${many} people of one deployment`, people),
        await againstFastify(server, `${many} deployments`, deployments),
        await rowLevelSecurity(server),
      ]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

async function againstFastify(server: BenchServer, asked: string, askers: Asker[]): Promise<Figure> {
  const body = await sameBoards(server, askers)
  const peer = await startPeer(body)
  try {
    const ours = () => requestRate(server.url, seconds, askers)
    const theirs = () => requestRate(peer.url, seconds, [{ path: '/', headers: {} }])
    await ours()
    await theirs()
    const pairs: [number, number][] = []
    for (let round = 0; round < rounds; round++) pairs.push([await ours(), await theirs()])
    const [rate, peerRate] = [0, 1].map((n) => Math.round(median(pairs.map((pair) => pair[n]!))))
    return {
      name: `E13, 20 boards, asked by ${asked}, against bare Fastify`,
      value: median(pairs.map(([one, other]) => one / other)),
      unit: 'of its rate',
      limit: { atLeast: 0.25 },
      detail: `${rate} a second against ${peerRate}`,
    }
  } finally {
    await peer.stop()
  }
}

/** What each of them is answered, which is the same. */
async function sameBoards(server: BenchServer, askers: Asker[]): Promise<string> {
  const bodies = new Set<string>()
  for (const { path, headers } of askers) bodies.add(await (await fetch(server.url + path, { headers })).text())
  const [body, ...others] = bodies
  if (others.length > 0 || JSON.parse(body!).ruleboards.length !== boards)
    throw new Error('not the boards that were made')
  return body!
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
  await protectedClient.query("select set_config('gatehouse.tenant', $1, false)", [String(server.deploymentId)])
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
