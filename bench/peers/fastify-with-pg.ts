import fastify from 'fastify'
import pg from 'pg'

/**
 * The plainest program that answers the same from the database: Fastify with pg, one statement a request. It knows no tokens,
 * no roles, no row-level security, and believes who the path says is asking.
 */
const pool = new pg.Pool({ ...JSON.parse(process.argv[2] ?? '{}'), max: 4 })

const boardsOf = (condition: string) => `select b.name, b.slug, b.is_default as default,
    coalesce(claimed.names, '[]') as assigned_repos from ruleboard b
  left join (select claim.ruleboard_id, json_agg(r.name order by r.name collate "C") as names
    from ruleboard_repository claim
    join repository r on r.deployment_id = claim.deployment_id and r.id = claim.repository_id
    where claim.deployment_id = $1 and ${condition} group by claim.ruleboard_id) claimed on claimed.ruleboard_id = b.id
  where b.deployment_id = $1 order by b.id`
const all = { name: 'all', text: boardsOf('true') }
const visible = {
  name: 'visible',
  text: boardsOf(`claim.repository_id in (select visible.repository_id from visible_repository visible
    where visible.deployment_id = $1 and visible.person_id = $2)`),
}

const string = { type: 'string' }
const board = {
  type: 'object',
  properties: {
    name: string,
    slug: string,
    default: { type: 'boolean' },
    assigned_repos: { type: 'array', items: string },
  },
}
const schema = {
  response: { 200: { type: 'object', properties: { ruleboards: { type: 'array', items: board } } } },
}

const app = fastify()
app.get<{ Params: { deployment: string } }>('/:deployment', { schema }, async ({ params }) => {
  const { rows } = await pool.query({ ...all, values: [params.deployment] })
  return { ruleboards: rows }
})
app.get<{ Params: { deployment: string; person: string } }>('/:deployment/:person', { schema }, async ({ params }) => {
  const { rows } = await pool.query({ ...visible, values: [params.deployment, params.person] })
  return { ruleboards: rows }
})
console.log(JSON.stringify({ url: await app.listen({ port: 0, host: '127.0.0.1' }) }))
const stop = async () => {
  await app.close()
  await pool.end()
  process.exit()
}
for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => void stop())
