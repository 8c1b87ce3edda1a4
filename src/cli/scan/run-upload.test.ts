import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upload-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const log = join(folder, 'a.sarif')
const lock = join(folder, 'package-lock.json')
for (const file of [log, lock]) writeFileSync(file, '{}')

const dryRun = (...args: string[]) =>
  runCommand(['upload', ...args, '--repository', 'a/b', '--ref', 'main', '--dry-run'])

test('a log from elsewhere goes by its name; of a lockfile the path has to be said', async () => {
  const sent = await dryRun(log, '--json')
  assert.equal(sent.code, 0, sent.stderr)
  assert.deepEqual(JSON.parse(sent.stdout).files, [{ path: 'a.sarif', bytes: 2 }])
  const refused = await dryRun(lock)
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /is not a path in the repository; give one with --path/)
})
