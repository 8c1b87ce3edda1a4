import pg from 'pg'
import { runningConnection } from '../src/postgres/process/running.ts'
import { type Asker, boards, fill } from './data/ruleboard-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, requestRate, startPeer, startServer } from './server.ts'

const many = 16
const rounds = 5
const seconds = 3

/** E13 with tokens, 20 boards, against the plainest program that reads the same from the same database; and against bytes. */
export const benchmark: Benchmark = {
  name: 'ruleboards',
  async run() {
    const server = await startServer()
    try {
      const { people, deployments } = await fill(server, many)
      return [
        ...(await againstPeers(server, `${many} people of one deployment`, people)),
        ...(await againstPeers(server, `${many} deployments`, deployments)),
        await rowLevelSecurity(server),
      ]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

async function againstPeers(server: BenchServer, asked: string, askers: Asker[]): Promise<Figure[]> {
  const body = await sameBoards(server, askers)
  const reader = await startPeer('peers/fastify-with-pg.ts', JSON.stringify(connectionTo(server)))
  const bare = await startPeer('peers/bare-fastify.ts', body)
  try {
    const paths = askers.map(({ peerPath }) => ({ path: peerPath, headers: {} }))
    for (const { path } of paths) {
      if ((await (await fetch(reader.url + path)).text()) !== body) throw new Error('the peer answers something else')
    }
    const programs = [
      () => requestRate(server.url, seconds, askers),
      () => requestRate(reader.url, seconds, paths),
      () => requestRate(bare.url, seconds, [{ path: '/', headers: {} }]),
    ]
    for (const ask of programs) await ask()
    const rates: number[][] = []
    for (let round = 0; round < rounds; round++) {
      const [ours, reads, bytes] = [await programs[0]!(), await programs[1]!(), await programs[2]!()]
      rates.push([ours, ours / reads, ours / bytes])
    }
    const [ours = 0, ofReader = 0, ofBare = 0] = [0, 1, 2].map((n) => median(rates.map((round) => round[n]!)))
    const name = `E13, 20 boards, asked by ${asked}`
    const detail = `${Math.round(ours)} a second`
    return [
      {
        name: `${name}, against Fastify with pg`,
        value: ofReader,
        unit: 'of its rate',
        limit: { atLeast: 0.8 },
        detail,
      },
      { name: `${name}, against bytes from bare Fastify`, value: ofBare, unit: 'of its rate', detail },
    ]
  } finally {
    await reader.stop()
    await bare.stop()
  }
}

function connectionTo(server: BenchServer) {
  const connection = runningConnection(server.folder)
  if (!connection) throw new Error('the embedded database is not running')
  return connection
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
  const connection = connectionTo(server)
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
