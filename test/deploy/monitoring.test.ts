import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { parse } from 'yaml'
import { openGatehouse, type TestGatehouse } from '../gatehouse.ts'
import { deploy, run, without } from './programs.ts'

const withoutPromtool = without('promtool', 'Debian: apt-get install prometheus')
let gatehouse: TestGatehouse
let metrics: string
before(async () => {
  // A replica that nobody reaches is measured, too.
  const nowhere = 'postgres://nobody@127.0.0.1:1/gatehouse'
  gatehouse = await openGatehouse({ env: { DATABASE_URL: nowhere, GATEHOUSE_READ_DATABASE_URL: nowhere } })
  await gatehouse.call('GET', '/no-such-path')
  metrics = (await gatehouse.call('GET', '/metrics')).body
})
after(() => gatehouse.close())

/** Every metric of ours that a text names. */
function named(text: string): string[] {
  return [...new Set([...text.matchAll(/gatehouse_[a-z0-9_]+/g)].map(([name]) => name!))].sort()
}

test('what alerts and dashboard look at is measured', () => {
  const measured = new Set(named(metrics))
  for (const file of ['prometheus/alerts.yaml', 'grafana/gatehouse.json']) {
    const text = readFileSync(join(deploy, file), 'utf8')
    const asked = named(text)
    assert.ok(asked.length >= 10, file)
    assert.deepEqual(
      asked.filter((name) => !measured.has(name)),
      [],
      file,
    )
  }
})

test('pools, feeds, cache, refusals and the version are measured, and nothing names a tenant', () => {
  for (const line of [
    /^gatehouse_database_pool_size\{pool="writers"\} [1-9]/m,
    /^gatehouse_database_pool_open\{pool="readers"\} [0-9]/m,
    /^gatehouse_database_pool_busy\{pool="identity"\} [0-9]/m,
    /^gatehouse_database_pool_waiting\{pool="worker"\} [0-9]/m,
    /^gatehouse_package_cache_requests_total\{from="upstream"\} 0/m,
    /^gatehouse_package_cache_bytes\{what="limit"\} 10737418240/m,
    /^gatehouse_http_refusals_total\{code="not_found"\} 1/m,
    /^gatehouse_build_info\{version="[0-9.]+"\} 1/m,
    /^gatehouse_outbound_circuits_open 0/m,
    /^gatehouse_http_request_duration_seconds_count\{method="GET",route="none",status="404"\} 1/m,
  ]) {
    assert.match(metrics, line)
  }
  assert.doesNotMatch(metrics, /deployment="|tenant="/)
})

test('how old the last backup is, and each kind of feed, is measured where there is one', async () => {
  assert.doesNotMatch(metrics, /^gatehouse_(backup|feed)_age_seconds\{/m)
  const admin = new pg.Client(gatehouse.connection as pg.ClientConfig)
  await admin.connect()
  try {
    await admin.query(`insert into last_backup (finished_at, bytes) values (now() - interval '3 hours', 1)`)
    for (const table of ['advisory_feed', 'vulnerability_feed', 'exploited_feed', 'epss_feed'])
      await admin.query(`insert into ${table} (place) values ('/nowhere')`)
  } finally {
    await admin.end()
  }
  const { body } = await gatehouse.call('GET', '/metrics')
  assert.match(body, /^gatehouse_backup_age_seconds\{of="database"\} 108[0-9]{2}(\.|$)/m)
  for (const feeds of ['malware', 'vulnerability', 'exploited', 'epss'])
    assert.match(body, new RegExp(`^gatehouse_feed_age_seconds\\{feeds="${feeds}"\\} \\+Inf$`, 'm'))
})

test('where backups are made by schedule and none has worked, the age has no end; a database that cannot say has none', async (t) => {
  const scheduled = await openGatehouse({ env: { GATEHOUSE_BACKUP_FOLDER: '/nowhere' } })
  t.after(() => scheduled.close())
  assert.match((await scheduled.call('GET', '/metrics')).body, /^gatehouse_backup_age_seconds\{of="database"\} \+Inf$/m)
  const admin = new pg.Client(scheduled.connection as pg.ClientConfig)
  await admin.connect()
  await admin.query('alter table last_backup rename to elsewhere')
  await admin.end()
  assert.doesNotMatch((await scheduled.call('GET', '/metrics')).body, /^gatehouse_backup_age_seconds\{/m)
})

test('how long no WAL was archived is measured where the embedded server archives it', async (t) => {
  assert.doesNotMatch(metrics, /^gatehouse_wal_archive_[a-z_]+\{/m)
  const archiving = await openGatehouse({ env: { GATEHOUSE_WAL_ARCHIVE: '/nowhere' } })
  t.after(() => archiving.close())
  const { body } = await archiving.call('GET', '/metrics')
  assert.match(body, /^gatehouse_wal_archive_age_seconds\{of="database"\} [0-9]/m)
  assert.match(body, /^gatehouse_wal_archive_failures_total\{of="database"\} 0$/m)
})

test('every panel of the dashboard asks something, and has room of its own', () => {
  const { panels } = JSON.parse(readFileSync(join(deploy, 'grafana/gatehouse.json'), 'utf8'))
  const seen = new Set<string>()
  for (const { type, title, targets = [], gridPos } of panels) {
    assert.ok(type === 'row' || targets.length > 0, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!seen.has(`${x} ${y}`), title)
        seen.add(`${x} ${y}`)
      }
    }
  }
})

test('every alert says what happened and what to do, and is fired in a test', () => {
  const { groups } = parse(readFileSync(join(deploy, 'prometheus/alerts.yaml'), 'utf8'))
  const { tests } = parse(readFileSync(join(deploy, 'prometheus/alerts.test.yaml'), 'utf8'))
  const fired = new Set<string>()
  for (const { alertname, exp_alerts } of tests.flatMap((one: { alert_rule_test: object[] }) => one.alert_rule_test))
    if (exp_alerts.length > 0) fired.add(alertname)
  for (const { alert, labels, annotations } of groups[0].rules) {
    assert.ok(['critical', 'warning'].includes(labels.severity), alert)
    assert.ok(annotations.summary && annotations.description, alert)
    assert.ok(fired.has(alert), `${alert} is fired in a test`)
  }
})

test('promtool takes the alerts, their tests and the configuration', { skip: withoutPromtool }, () => {
  for (const args of [
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
    ['check', 'config', '--syntax-only', 'prometheus.yaml'],
  ]) {
    const { status, said } = run('promtool', args, { cwd: join(deploy, 'prometheus') })
    assert.equal(status, 0, said)
  }
})

test('promtool reads what the server measures', { skip: withoutPromtool }, () => {
  // 3: it can be read, and the linter would name something differently.
  const { status, said } = run('promtool', ['check', 'metrics'], { input: metrics })
  assert.ok(status === 0 || status === 3, said)
  assert.doesNotMatch(said, /error/i)
})
