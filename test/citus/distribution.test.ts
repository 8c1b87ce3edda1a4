import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { makeBackup } from '../../src/backup/make-backup.ts'
import { sendLog } from '../../src/capabilities/findings/test-findings.ts'
import { createWordIndexing } from '../../src/capabilities/findings/word-index/indexing.ts'
import { checkBackup } from '../../src/cli/doctor/backup-checks.ts'
import { checkDistribution } from '../../src/cli/doctor/distribution-checks.ts'
import { systemActor } from '../../src/kernel/access/actor.ts'
import { roleNames } from '../../src/kernel/database/connections/connection.ts'
import { DatabaseProblem } from '../../src/kernel/database/database-problem.ts'
import { distribute as distributeDatabase } from '../../src/kernel/database/distribution/distribute.ts'
import {
  holdBackConnections,
  leadsToNodes,
  noteDistribution,
} from '../../src/kernel/database/distribution/distributed-connections.ts'
import { unplaced } from '../../src/kernel/database/distribution/place-tables.ts'
import { local, reference } from '../../src/kernel/database/distribution/placement.ts'
import { migrate, pendingMigrations } from '../../src/kernel/database/migrations/migrate.ts'
import { digestOf, readMigrations } from '../../src/kernel/database/migrations/migration-files.ts'
import { announceLevel, applicationName } from '../../src/kernel/database/migrations/version-fence.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { checkDatabase, type OpenDatabase } from '../../src/start/open-database.ts'
import { throwAwayDatabase } from '../cluster.ts'
import { deepOnly } from '../depth.ts'
import { openGatehouse, type TestGatehouse } from '../gatehouse.ts'
import { poll } from '../servers/real-process.ts'
import { distribute } from './distribute.ts'
import { ask, type CitusNodes, type Node, startCitus, withoutCitus } from './nodes.ts'

const shardCount = 4
/** Citus leaves shards out of the catalog, unless it is told not to. */
const shardsShown = { options: '-c citus.override_table_visibility=off' }

function refused(error: unknown): boolean {
  assert.ok(error instanceof DatabaseProblem, `${error}`)
  assert.match(error.message, /Run npx gatehouse db distribute/)
  return true
}

async function check(to: Node | Awaited<ReturnType<typeof throwAwayDatabase>>['connection']): Promise<string> {
  const { obstacles, placed } = await distributeDatabase(to, { shardCount })
  assert.deepEqual(placed, [])
  return obstacles.join('\n')
}

/** What a node asks of whom that connects to it, from here on. */
async function setHba(node: Node, rules: string[]): Promise<void> {
  const [{ file } = { file: '' }] = await ask(node, "select current_setting('hba_file') as file")
  const given = rules.map((rule) => `('${rule}')`).join(', ')
  await ask(node, `copy (values ${given}) to '${file}'`)
  await ask(node, 'select pg_reload_conf()')
  const shown = `select 1 from pg_hba_file_rules having count(*) = ${rules.length}`
  await poll('the rules hold', async () => (await ask(node, shown)).length > 0)
}

test('without Citus nothing is distributed', async (t) => {
  const database = await throwAwayDatabase()
  t.after(database.drop)
  assert.match(await check(database.connection), /no extension citus/)
})

test('a database that was migrated before it had Citus is distributed', {
  skip: withoutCitus || deepOnly('one way to be distributed is enough'),
}, async (t) => {
  const { coordinator, workers, stop } = await startCitus(1)
  t.after(stop)
  const older = { ...coordinator, database: 'older' }
  await ask(coordinator, 'create database older')
  await migrate(older)
  for (const worker of workers) await ask(worker, 'create database older')
  for (const node of [coordinator, ...workers]) await ask({ ...node, database: 'older' }, 'create extension citus')
  await ask(older, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
  for (const { host, port } of workers) await ask(older, `select citus_add_node('${host}', ${port})`)
  assert.ok((await distribute(older, 1)).length > 0)
})

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

  test('what is in the way is named, and nothing is changed', async () => {
    const { coordinator, workers } = nodes
    assert.match(await check(coordinator), /not that of Gatehouse/)
    assert.equal(await check(workers[0]!), 'This is a worker of Citus. DATABASE_URL has to name the coordinator.')
    await migrate(coordinator)
    await ask(coordinator, 'create role stranger login; grant gatehouse_app to stranger')
    assert.match(await check({ ...coordinator, user: 'stranger' }), /^stranger is no superuser[^\n]*$/)
    await asOwner(async (client) => {
      await announceLevel(client)
      assert.match(await check(coordinator), /still works on the database/)
    })
    // A process that has not said yet which schema it is for.
    await asOwner(async () => assert.match(await check(coordinator), /still works on the database/), {
      ...coordinator,
      ...{ application_name: applicationName },
    })
    const withShards = async (count: number) =>
      (await distributeDatabase(coordinator, { shardCount: count, onlyCheck: true })).obstacles.join('\n')
    assert.match(await withShards(60_000), /raise max_locks_per_transaction/)
    for (const count of [0, 64_001, 999_999_999]) assert.match(await withShards(count), /into 1 to 64000 parts/)
    await asOwner((client) => client.query("delete from schema_migration where name like '0001%'"))
    assert.match(await check(coordinator), /not at the level/)
    const row = "select '0001_foundation.sql', $1"
    const first = readMigrations()[0]!
    await asOwner((client) => client.query(`insert into schema_migration (name, sha256) ${row}`, [digestOf(first)]))
    assert.deepEqual(await ask(coordinator, 'select 1 from pg_dist_partition'), [])
  })

  test('nodes that do not let each other in are named, and nothing is distributed', async () => {
    const [worker] = nodes.workers as [Node]
    await setHba(worker, [`host all ${roleNames.worker} all reject`, 'host all all all trust'])
    const named = new RegExp(`do not let each other in as ${roleNames.worker}: ${worker.host}:${worker.port}\\.`)
    // Roles may sign in only when it begins.
    await assert.rejects(distributeDatabase(nodes.coordinator, { shardCount }), named)
    assert.match(await check(nodes.coordinator), named)
    assert.deepEqual(await ask(nodes.coordinator, 'select 1 from pg_dist_partition'), [])
    await setHba(worker, ['host all all 127.0.0.1/32 trust'])
    assert.deepEqual((await distributeDatabase(nodes.coordinator, { onlyCheck: true })).obstacles, [])
  })

  /** Kills a distribution as soon as a statement like the given one was sent. */
  async function killedAt(statement: string): Promise<void> {
    const { coordinator } = nodes
    const running = distribute(coordinator, shardCount).then(
      () => assert.fail('it was killed'),
      (error) => error,
    )
    // Looked for on the server, a thousand times a second: some statements are over in a moment.
    await ask(
      coordinator,
      `do $$ begin
        for turn in 1 .. 60000 loop
          perform pg_stat_clear_snapshot();
          perform pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'gatehouse migrate' and query like '${statement}%';
          if found then
            return;
          end if;
          perform pg_sleep(0.001);
        end loop;
        raise exception 'it was never in the middle';
      end $$`,
    )
    const error = await running
    assert.ok(error instanceof DatabaseProblem, `${error}`)
    assert.match(error.message, /broken off: .*\. All tables are distributed or none is\./)
  }

  test('killed in the middle, nothing is distributed, and it can be run again', async () => {
    const { coordinator } = nodes
    await killedAt('select create_distributed_table')
    assert.deepEqual(await ask(coordinator, 'select 1 from pg_dist_partition'), [])
    assert.deepEqual(await pendingMigrations(coordinator), [])

    // When all tables have their place, and rows from before are still beside it.
    const leftBeside = `select c.relname from pg_class c join pg_dist_partition p on p.logicalrelid = c.oid
      where pg_relation_size(c.oid) > 0`
    await killedAt('select create_distributed_function')
    assert.deepEqual(await asOwner(unplaced), new Map())
    assert.notDeepEqual(await ask(coordinator, leftBeside), [])
    await assert.rejects(migrate(coordinator), refused)

    assert.deepEqual(await distribute(coordinator, shardCount), [])
    assert.deepEqual(await ask(coordinator, leftBeside), [])
    await migrate(coordinator)
    const { obstacles } = await distributeDatabase(coordinator, { shardCount: 8 })
    assert.match(obstacles.join(), /in 4 parts already/)
  })

  test('a connection that begins while the database is being distributed waits for what it becomes', async () => {
    const { coordinator } = nodes
    let noted: Promise<void> | undefined
    const late = new pg.Client(coordinator)
    await late.connect()
    await asOwner(async (client) => {
      await holdBackConnections(client)
      noted = noteDistribution(late)
      const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted"
      await poll('the connection waits', async () => (await ask(coordinator, waiting)).length > 0)
      assert.equal(leadsToNodes(late), false)
    })
    await noted
    assert.equal(leadsToNodes(late), true)
    await late.end()
  })

  test('killed before the rights of all nodes are given, it is refused until it is run again', async () => {
    const { coordinator } = nodes
    await ask(coordinator, 'alter database gatehouse reset gatehouse.distributed')
    await assert.rejects(migrate(coordinator), refused)
    await assert.rejects(pendingMigrations(coordinator), refused)
    assert.deepEqual(await distribute(coordinator, shardCount), [])
    assert.deepEqual(await pendingMigrations(coordinator), [])
  })

  test('doctor names the workers, and which of them lacks something', async () => {
    const said = async () => (await checkDistribution(nodes.coordinator)).map(({ state }) => state)
    assert.deepEqual(await said(), ['ok'])
    const [{ detail } = { detail: '' }] = await checkDistribution(nodes.coordinator)
    for (const { host, port } of nodes.workers) assert.ok(detail.includes(`${host}:${port}`), detail)
    const [worker] = nodes.workers as [Node]
    await ask(worker, 'set citus.enable_ddl_propagation = off; drop event trigger grant_columns_of_shards')
    assert.deepEqual(await said(), ['problem'])
    await distribute(nodes.coordinator, shardCount)
    assert.deepEqual(await said(), ['ok'])
    await setHba(worker, [`host all ${roleNames.identity} all reject`, 'host all all all trust'])
    assert.deepEqual(await said(), ['problem', 'warning'])
    await setHba(worker, ['host all all 127.0.0.1/32 trust'])
    assert.deepEqual(await said(), ['ok'])
  })

  test('a worker that is added gets copies of what every node has, with their rights, before anything is moved to it', async () => {
    const { coordinator, addWorker } = nodes
    const added = await addWorker()
    const states = async () => (await checkDistribution(coordinator)).map(({ state }) => state)
    assert.ok((await states()).includes('problem'))
    await distribute(coordinator, shardCount)
    assert.ok(!(await states()).includes('problem'))
    const copies = await ask(
      coordinator,
      `select logicalrelid::text as name from pg_dist_placement join pg_dist_node using (groupid)
      join pg_dist_shard using (shardid) join pg_dist_partition using (logicalrelid)
      where partmethod = 'n' and nodeport = ${added.port} order by 1`,
    )
    assert.deepEqual(
      copies.map(({ name }) => name),
      [...reference].sort(),
    )
    const rights = await ask(
      { ...added, ...shardsShown },
      `select has_column_privilege('${roleNames.tenant}', oid, 'email', 'select') as "email",
        has_column_privilege('${roleNames.tenant}', oid, 'password_hash', 'select') as "hash"
      from pg_class where relname ~ '^person_[0-9]+$'`,
    )
    assert.deepEqual(rights, [{ email: true, hash: false }])
    await ask(coordinator, `select citus_remove_node('${added.host}', ${added.port})`)
  })

  test('what refuses older processes is on the coordinator alone, where they come to', async () => {
    const [, worker] = nodes.workers
    // As Citus 13 does by itself.
    await ask(
      worker!,
      "set citus.enable_ddl_propagation = off; alter database gatehouse set gatehouse.deployment = 'a newer one'",
    )
    await distribute(nodes.coordinator, shardCount)
    const told = async (node: Node) =>
      (await ask(node, "select coalesce(current_setting('gatehouse.deployment', true), '') as told"))[0]!.told
    assert.notEqual(await told(nodes.coordinator), '')
    for (const node of nodes.workers) assert.equal(await told(node), '')
  })

  test('what cannot be had of several nodes is refused', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-citus-backup-'))
    t.after(() => rmSync(folder, { recursive: true }))
    await assert.rejects(makeBackup(nodes.coordinator, join(folder, 'backup')), /distributed by Citus/)
    const asked = { query: async (statement: Sql) => (await ask(nodes.coordinator, statement.text)) as never }
    assert.deepEqual((await checkBackup(asked)).state, 'ok')
    const settings = readSettings({ DATABASE_URL: 'postgres://x', GATEHOUSE_READ_DATABASE_URL: 'postgres://y' })
    const open = { connection: nodes.coordinator, embedded: false, stop: async () => {} }
    const asOwner: OpenDatabase['asOwner'] = (work) => work(nodes.coordinator)
    await assert.rejects(checkDatabase({ ...open, asOwner }, settings), /GATEHOUSE_READ_DATABASE_URL/)
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
      const seen: { name: string }[] = await gatehouse.db.as({ deploymentId }).query(sql`select name from tag`)
      assert.deepEqual(seen, [{ name }])
    }
    const planted = gatehouse.db.transaction(systemActor(own, 'test'), (tx) =>
      tx.query(sql`insert into tag (deployment_id, name) values (${other.id}, 'planted')`),
    )
    await assert.rejects(planted, /row-level security/)
  })

  test('findings are signed by what the node that has them knows of transactions', async () => {
    const { db, owner } = gatehouse!
    // The coordinator is far ahead of both workers.
    await asOwner((client) =>
      client.query("do 'begin for n in 1..5000 loop perform txid_current(); commit; end loop; end'"),
    )
    const results = Array.from({ length: 200 }, (_, n) => ({ rule: `signed-${n}` }))
    await sendLog(gatehouse!, 'signed/one', results)
    await createWordIndexing(db).run()
    const blocks = await db
      .as(owner)
      .query<{ signed: boolean }>(
        sql`select signature is not null as signed from finding_block where deployment_id = ${owner.deploymentId}`,
      )
    assert.ok(blocks.length >= 3)
    assert.ok(blocks.every(({ signed }) => signed))
  })

  /** Policies of shards, and of tables on workers, that let in what one of the coordinator keeps out. */
  async function madePermissive(): Promise<Record<string, unknown>[]> {
    const asked = "select policyname as name from pg_policies where permissive = 'RESTRICTIVE'"
    const names = (await ask(nodes.coordinator, asked)).map(({ name }) => `'${name}'`)
    assert.ok(names.length > 0)
    const found = [nodes.coordinator, ...nodes.workers].map((node) =>
      ask(
        { ...node, ...shardsShown } as Node,
        `select tablename, policyname from pg_policies where permissive = 'PERMISSIVE' and policyname in (${names})`,
      ),
    )
    return (await Promise.all(found)).flat()
  }

  test('a policy that keeps out does so on every node', async () => {
    assert.deepEqual(await madePermissive(), [])
    const own = gatehouse!.owner.deploymentId
    await assert.rejects(
      gatehouse!.db.workerQuery(
        sql`insert into firewall_deployment (deployment_id, contact) values (${own}, 'mallory')`,
      ),
      /row-level security/,
    )
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

  test('while a worker is lost, what it has is answered with 503, and what is elsewhere is still read', async () => {
    const { call, owner, addDeployment } = gatehouse!
    const portOf = async (deploymentId: number) => {
      const found = await ask(
        nodes.coordinator,
        `select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
        where shardid = get_shard_id_for_distribution_column('tag', ${deploymentId})`,
      )
      return found[0]!.port as number
    }
    const here = { id: owner.deploymentId, as: owner.token }
    let there = await addDeployment()
    while ((await portOf(there.id)) === (await portOf(here.id))) there = await addDeployment()
    const [lost] = nodes.workers as [Node]
    const [away, near] = (await portOf(here.id)) === lost.port ? [here, there] : [there, here]
    const search = ({ id, as }: typeof here) => call('POST', `/api/findings/${id}/findings/search`, { as, body: {} })
    const addToken = ({ id, as }: typeof here) =>
      call('POST', `/api/tokens/v1/deployments/${id}/tokens`, { as, body: { name: 'more', webApi: true } })

    const rejected = Object.values(roleNames).map((role) => `host all ${role} all reject`)
    await setHba(lost, [...rejected, 'host all all 127.0.0.1/32 trust'])
    const names = Object.values(roleNames).map((role) => `'${role}'`)
    await ask(lost, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename in (${names.join()})`)
    for (let n = 0; n < 3; n++) {
      for (const answer of [await addToken(near), await addToken(away), await search(away)]) {
        assert.deepEqual([answer.status, answer.body.code], [503, 'unavailable'])
      }
      assert.equal((await search(near)).status, 200)
    }
    await setHba(lost, ['host all all 127.0.0.1/32 trust'])
    for (const deployment of [near, away]) {
      assert.equal((await search(deployment)).status, 200)
      assert.equal((await addToken(deployment)).status, 200)
    }
    // Other connections to the coordinator hear of it when they next ask.
    await poll('whoever signs in does', async () => {
      const body = { email: owner.email, password: owner.password }
      const answers = await Promise.all([1, 2, 3].map(() => call('POST', '/api/auth/login', { as: '', body })))
      return answers.every(({ status }) => status === 200)
    })
  })

  test('who signs in beside a change of a role is held up by it, and ended by no deadlock', async () => {
    const { deploymentId, personId } = { ...gatehouse!.owner, personId: (await gatehouse!.addPerson('member')).id }
    const waiting = async () => {
      const asked = "select 1 from pg_locks where locktype = 'advisory' and not granted"
      const found = await Promise.all([nodes.coordinator, ...nodes.workers].map((node) => ask(node, asked)))
      return found.flat().length > 0
    }
    let changing: Promise<void> | undefined
    let attempts = 0
    await gatehouse!.db.identity(async (tx) => {
      attempts++
      await tx.query(sql`select 1 from person where id = ${personId} for no key update`)
      changing ??= gatehouse!.db.transaction(systemActor(deploymentId, 'test'), async (other) => {
        attempts++
        await other.query(sql`update membership set role = 'readonly'
          where deployment_id = ${deploymentId} and person_id = ${personId}`)
      })
      await poll('the change waits for the sign-in', waiting)
      await tx.query(sql`insert into session
          (id, person_id, family_hash, refresh_hash, refreshed_from, created_at, expires_at, proof)
        values (gen_random_uuid(), ${personId}, 'a', 'b', '', now(), now(), 'password')`)
    })
    await changing
    assert.equal(attempts, 2)
  })

  test('deployments are moved to other nodes while they are served, with every write and all rights', async () => {
    const { deploymentId } = gatehouse!.owner
    const own = { deploymentId }
    let written = 0
    let isMoving = true
    const writing = (async () => {
      while (isMoving) {
        const name = `moved-${written}`
        const isWritten = await gatehouse!.db
          .transaction(systemActor(deploymentId, 'test'), async (tx) => {
            await tx.query(sql`insert into tag (deployment_id, name) values (${deploymentId}, ${name})`)
            return true
          })
          // On a busy machine a move takes longer than a write waits for it.
          .catch((error) => (error.code === 'timeout' ? false : Promise.reject(error)))
        if (!isWritten) continue
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
    assert.deepEqual(await madePermissive(), [])
  })
})
