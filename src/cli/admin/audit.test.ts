import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { databaseUrl } from '../../../test/servers/real-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-heads-'))
const file = join(folder, 'heads.json')
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(async () => {
  await gatehouse.close()
  rmSync(folder, { recursive: true })
})

function audit(...args: string[]) {
  const env = {
    DATABASE_URL: databaseUrl(gatehouse.connection as Parameters<typeof databaseUrl>[0]),
    GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'),
    GATEHOUSE_DATA: folder,
  }
  return runCommand(['audit', ...args, '--json'], { env })
}

test('a kept head of a deployment that is gone with its log is told of', async () => {
  const { heads } = JSON.parse((await audit('head')).stdout)
  writeFileSync(file, JSON.stringify({ heads }))
  assert.equal((await audit('verify', '--heads', file)).code, 0)
  const lost = { ...heads[0], deploymentId: 77, seq: 9 }
  writeFileSync(file, JSON.stringify({ heads: [...heads, lost] }))
  const all = await audit('verify', '--heads', file)
  const broken = { seq: 9, reason: 'it was exported, and the deployment is gone' }
  assert.deepEqual(JSON.parse(all.stdout).verdicts.at(-1), { deploymentId: 77, broken })
  assert.equal(all.code, 1)
  assert.equal((await audit('verify', '--deployment', '1', '--heads', file)).code, 0)
})

test('a file that has no heads is refused with a sentence', async () => {
  writeFileSync(file, '{}')
  const { code, stdout } = await audit('verify', '--heads', file)
  assert.deepEqual([code, JSON.parse(stdout).error], [2, `'${file}' is not what gatehouse audit head --json prints.`])
})
