import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { deploy, root, run, without } from './programs.ts'

const text = readFileSync(join(deploy, 'systemd/gatehouse.service'), 'utf8')
const skip = without('systemd-analyze', 'Debian: apt-get install systemd')

test('systemd takes the unit, and grants it little', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const unit = join(folder, 'gatehouse.service')
  // The program has to be there: here it is the one of this checkout.
  const command = '/opt/gatehouse/node_modules/.bin/gatehouse'
  assert.ok(text.includes(`ExecStart=${command} serve`))
  writeFileSync(unit, text.replace(command, join(root, 'bin/gatehouse.mjs')))
  const verified = run('systemd-analyze', ['verify', '--man=no', unit])
  const ours = verified.said.split('\n').filter((line) => line.includes('gatehouse'))
  assert.deepEqual(ours, [])
  // From 0, which may nothing, to 10, which may everything.
  const secured = run('systemd-analyze', ['security', '--offline=true', '--threshold=25', unit])
  assert.equal(secured.status, 0, secured.said)
})

test('the unit lets Node 20 start, which allocates a memory protection key on processors that have them', {
  skip,
}, () => {
  const [, groups = ''] = /^SystemCallFilter=(.*)$/m.exec(text) ?? []
  const allowed = groups.split(' ').flatMap((group) => callsOf(group))
  for (const call of ['pkey_alloc', 'pkey_mprotect', 'mmap', 'execve']) assert.ok(allowed.includes(call), call)
})

/** Those of the groups in it too. */
function callsOf(group: string): string[] {
  const listed = run('systemd-analyze', ['syscall-filter', group]).said.split('\n').slice(1)
  const names = listed.map((line) => line.trim()).filter((line) => /^@?[a-z0-9_-]+$/.test(line))
  return names.flatMap((name) => (name.startsWith('@') ? callsOf(name) : [name]))
}

test('only Gatehouse gets the first signal, and time to end', () => {
  for (const line of ['KillMode=mixed', 'TimeoutStopSec=90', 'Restart=always', 'NoNewPrivileges=yes']) {
    assert.ok(text.split('\n').includes(line), line)
  }
})
