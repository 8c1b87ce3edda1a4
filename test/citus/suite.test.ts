import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { deepOnly } from '../depth.ts'
import { withoutCitus } from './nodes.ts'
import { startDistributedTestCluster } from './test-cluster.ts'

const root = join(import.meta.dirname, '../..')
/** What tells tenants apart, and whole stories of writing and reading. */
const files = [
  'test/isolation.test.ts',
  'src/capabilities/audit/audit.test.ts',
  'src/capabilities/automations/firing.test.ts',
  'src/capabilities/findings/counters/counter-merging.test.ts',
  'src/capabilities/findings/findings.test.ts',
  'src/capabilities/findings/ingest/reconcile.test.ts',
  'src/capabilities/findings/pull-requests/pull-requests.test.ts',
  'src/capabilities/findings/search/search.test.ts',
  'src/capabilities/firewall/exceptions/exceptions.test.ts',
  'src/capabilities/firewall-activity/retention/retention.test.ts',
  'src/capabilities/issues/ingest/ingestion.test.ts',
  'src/capabilities/issues/triage.test.ts',
  'src/capabilities/memories/applying/effect.test.ts',
  'src/capabilities/people/people.test.ts',
  'src/capabilities/policies/policies.test.ts',
  'src/capabilities/provisioning/attacks.test.ts',
  'src/capabilities/reports/companions.test.ts',
  'src/capabilities/reports/trends/trends.test.ts',
  'src/capabilities/scans/retention.test.ts',
  'src/capabilities/scans/scans.test.ts',
  'src/capabilities/teams/teams.test.ts',
]

test('tests of the product pass on a coordinator and two workers', {
  skip: withoutCitus || deepOnly('files of tests on three servers take minutes'),
}, async (t) => {
  const cluster = await startDistributedTestCluster()
  t.after(cluster.stop)
  const env = { ...process.env, GATEHOUSE_TEST_CLUSTER: cluster.given, NODE_TEST_CONTEXT: undefined }
  const running = promisify(execFile)(process.execPath, ['--test', ...files], { cwd: root, env, maxBuffer: 2 ** 26 })
  const { stdout } = await running.catch((error: { stdout: string }) => assert.fail(error.stdout))
  assert.match(stdout, /^. fail 0$/m)
})
