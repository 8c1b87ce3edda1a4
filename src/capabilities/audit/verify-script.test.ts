import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'

const page = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8')
const script = /```js\n(.*?)```/s.exec(page)![1]!

test('the documented script, as it is printed, checks a real export and notices what was changed in it', async (t) => {
  const gatehouse = await openGatehouse()
  const folder = mkdtempSync(join(tmpdir(), 'verify-'))
  t.after(async () => {
    rmSync(folder, { recursive: true })
    await gatehouse.close()
  })
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}`
  await gatehouse.addPerson('member')
  await gatehouse.call('POST', `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`, {
    body: { name: 'grün/quoted' },
  })
  const { head } = (await gatehouse.call('GET', `${path}/head`)).body
  const text: string = (await gatehouse.call('POST', `${path}/export`, { body: { chained: true } })).body
  const lines = text.trim().split('\n')
  assert.ok(lines.length > 3)
  const { keys } = await gatehouse.db.auditKeys()
  const hex = Object.fromEntries([...keys].map(([version, key]) => [version, key.export().toString('hex')]))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const program = file('verify.mjs', script)
  const keyFile = file('keys.json', JSON.stringify(hex))
  const run = (log: string[], more: string[] = [], with_ = keyFile) =>
    spawnSync(process.execPath, [program, file('audit.jsonl', `${log.join('\n')}\n`), with_, ...more], {
      encoding: 'utf8',
    })
  const edit = (at: number, change: (event: Record<string, unknown>) => object) =>
    lines.with(at, JSON.stringify(change(JSON.parse(lines[at]!))))

  assert.equal(run(lines).stdout, `${lines.length} events, whole.\n`)
  assert.equal(run(lines, [`${head.seq}:${head.hash}`]).status, 0)
  const wrong: [string, ReturnType<typeof run>][] = [
    ['a head that is not in it', run(lines, [`${head.seq}:${'0'.repeat(64)}`])],
    ['an event less', run(lines.toSpliced(1, 1))],
    ['the first less', run(lines.slice(1))],
    ['another action', run(edit(1, (event) => ({ ...event, action: 'nothing' })))],
    ['another time', run(edit(1, (event) => ({ ...event, at: '2020-01-01T00:00:00.000Z' })))],
    ['another detail', run(edit(2, (event) => ({ ...event, detail: { a: 1 } })))],
    [
      'another person in what is hashed',
      run(edit(1, (event) => ({ ...event, chained: String(event.chained).replace(/\d/, '9') }))),
    ],
    ['another key', run(lines, [], file('others.json', JSON.stringify({ 1: '00'.repeat(32) })))],
  ]
  assert.deepEqual(
    wrong.map(([what, { status }]) => [what, status]),
    wrong.map(([what]) => [what, 1]),
  )
})

test('the script has about twenty lines', () => {
  const lines = script.trim().split('\n').filter(Boolean)
  assert.ok(lines.length <= 25, String(lines.length))
})
