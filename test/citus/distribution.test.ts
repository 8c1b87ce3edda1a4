import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { systemActor } from '../../src/kernel/access/actor.ts'
import { roleNames } from '../../src/kernel/database/connections/connection.ts'
import { migrate } from '../../src/kernel/database/migrations/migrate.ts'
import { openGatehouse, type TestGatehouse } from '../gatehouse.ts'
import { poll } from '../servers/real-process.ts'
import { distribute } from './distribute.ts'
import { ask, type CitusNodes, startCitus, withoutCitus } from './nodes.ts'
import { distributed, local, reference } from './placement.ts'

const shardCount = 4
/** Citus leaves shards out of the catalog, unless it is told not to. */
const shardsShown = { options: '-c citus.override_table_visibility=off' }

describe('with a coordinator and two workers', { skip: withoutCitus }, () => {
  let nodes: CitusNodes
  let gatehouse: TestGatehouse | undefined
  before(async () => {
    nodes = await startCitus()
  })
  after(async () => {
    await gatehouse?.close()
    await nodes.stop()
  })

  async function asOwner<T>(work: (client: pg.Client) => Promise<T>, node = nodes.coordinator): Promise<T> {
    const client = new pg.Client(node)
    client.on('error', () => {})
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end().catch(() => {})
    }
  }

  test('killed in the middle, nothing is distributed, and it can be run again', async () => {
    const { coordinator } = nodes
    await migrate(coordinator)
    const running = distribute(coordinator, shardCount).then(
      () => assert.fail('it was killed'),
      (error) => error,
    )
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'distribute' and query like 'select create_distributed_table%'`
    await poll('it is in the middle', async () => (await ask(coordinator, kill)).length > 0)
    assert.ok((await running) instanceof Error)
    assert.deepEqual(await ask(coordinator, 'select 1 from pg_dist_partition'), [])
    const placed = await distribute(coordinator, shardCount)
    assert.deepEqual(placed.sort(), [...distributed, ...reference].sort())
  })

  test('what Citus does not pass on can be given again', async () => {
    assert.deepEqual(await distribute(nodes.coordinator, shardCount), [])
  })

  test('tables that stay on the coordinator are on no other node', async () => {
    const found = await ask(nodes.coordinator, 'select logicalrelid::text as name from pg_dist_partition')
    assert.deepEqual(
      found.filter(({ name }) => local.includes(name as string)),
      [],
    )
  })

  test('it serves two deployments, each its own', async () => {
    gatehouse = await openGatehouse({ connection: nodes.coordinator })
    const own = gatehouse.owner.deploymentId
    const other = await gatehouse.addDeployment()
    const person = await gatehouse.addPerson('member')
    assert.equal(
      (await gatehouse.call('GET', `/api/people/v1/deployments/${own}/people`)).body.people.length >= 2,
      true,
    )
    assert.ok(person.id > 0)
    for (const [deploymentId, name] of [
      [own, 'ours'],
      [other.id, 'theirs'],
    ] as const) {
      await gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
        tx.query(sql`insert into tag (deployment_id, name) values (${deploymentId}, ${name})`),
      )
    }
    for (const [deploymentId, name] of [
      [own, 'ours'],
      [other.id, 'theirs'],
    ] as const) {
      const tags: { name: string }[] = await gatehouse.db
        .as({ deploymentId })
        .query<{ name: string }>(sql`select name from tag`)
      assert.deepEqual(tags, [{ name }])
    }
    const planted = gatehouse.db.transaction(systemActor(own, 'test'), (tx) =>
      tx.query(sql`insert into tag (deployment_id, name) values (${other.id}, 'planted')`),
    )
    await assert.rejects(planted, /row-level security/)
  })

  test('a worker shows a role no more than the coordinator does', async () => {
    const own = gatehouse!.owner.deploymentId
    let seen = 0
    for (const worker of nodes.workers) {
      const open = { ...worker, ...shardsShown }
      const shards = await ask(
        open,
        `select relname as shard from pg_class where relname ~ '^(tag|person)_[0-9]+$' order by 1 desc`,
      )
      await asOwner(
        async (client) => {
          for (const { shard } of shards.slice(0, -1)) {
            assert.deepEqual((await client.query(`select * from ${shard}`)).rows, [])
            await client.query(`set gatehouse.tenant = '${own}'`)
            const { rows } = await client.query(`select deployment_id::int as "deploymentId" from ${shard}`)
            assert.ok(rows.every(({ deploymentId }) => deploymentId === own))
            seen += rows.length
            await client.query('reset gatehouse.tenant')
          }
          const person = shards.at(-1)!.shard
          await assert.rejects(client.query(`select password_hash from ${person}`), /permission denied/)
        },
        { ...worker, user: roleNames.tenant },
      )
      const unprotected = await ask(
        open,
        `select relname from pg_class c where relkind = 'r' and relname ~ '_[0-9]{6}$'
        and relnamespace = 'public'::regnamespace and not (relrowsecurity and relforcerowsecurity)
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'deployment_id')`,
      )
      assert.deepEqual(unprotected, [])
    }
    assert.equal(seen, 1)
  })

  test('deployments are moved to other nodes while they are served, with every write and all rights', async () => {
    const { deploymentId } = gatehouse!.owner
    const own = { deploymentId }
    let written = 0
    let isMoving = true
    const writing = (async () => {
      while (isMoving) {
        const name = `moved-${written}`
        await gatehouse!.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
          tx.query(sql`insert into tag (deployment_id, name) values (${deploymentId}, ${name})`),
        )
        written++
        assert.equal((await gatehouse!.db.as(own).query(sql`select 1 from tag where name = ${name}`)).length, 1)
      }
    })()
    const [moved] = await ask(
      nodes.coordinator,
      `select s.shardid, n.nodename, n.nodeport, o.nodename as "toName", o.nodeport as "toPort"
      from pg_dist_shard s join pg_dist_placement p using (shardid) join pg_dist_node n using (groupid)
      join pg_dist_node o on o.groupid > 0 and o.groupid <> n.groupid
      where s.shardid = get_shard_id_for_distribution_column('tag', ${deploymentId})`,
    )
    const { shardid, nodename, nodeport, toName, toPort } = moved!
    await ask(
      nodes.coordinator,
      `select citus_move_shard_placement(${shardid}, '${nodename}', ${nodeport}, '${toName}', ${toPort}, 'block_writes')`,
    )
    isMoving = false
    await writing
    assert.ok(written > 0)
    const [counted] = await gatehouse!.db
      .as(own)
      .query<{ count: number }>(sql`select count(*) from tag where name like 'moved-%'`)
    assert.equal(counted!.count, written)
    // The worker role has rights on single columns of it, and no more.
    await gatehouse!.db.workerQuery(sql`select deployment_id, id, parent_team_id from team`)
    for (const worker of nodes.workers) {
      const rights = await ask(
        { ...worker, ...shardsShown },
        `select has_table_privilege('${roleNames.worker}', c.oid, 'select') as "all",
          has_column_privilege('${roleNames.worker}', c.oid, 'parent_team_id', 'select') as "one"
        from pg_class c where relname ~ '^team_[0-9]+$'`,
      )
      assert.ok(rights.length > 0)
      for (const right of rights) assert.deepEqual(right, { all: false, one: true })
    }
  })
})
