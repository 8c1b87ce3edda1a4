import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { dataFolder, poll } from '../servers/real-process.ts'
import { ask, type Node, withoutCitus } from './nodes.ts'

const script = `
const { startCitus } = await import(${JSON.stringify(join(import.meta.dirname, 'nodes.ts'))})
const { coordinator, workers } = await startCitus(1)
console.log(JSON.stringify([coordinator, ...workers]))`

test('nodes of Citus end when whoever started them is killed', { skip: withoutCitus }, async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: dataFolder(t) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const nodes = JSON.parse(line) as Node[]
  for (const node of nodes) assert.equal((await ask(node, 'select 1')).length, 1)
  child.kill('SIGKILL')
  await ended
  for (const node of nodes) {
    await poll('it does not answer', () =>
      ask(node, 'select 1').then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
      ),
    )
  }
})
