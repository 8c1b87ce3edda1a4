import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../test/clients/command-line.ts'

/** Writes the address of each module that is loaded to standard error. */
const noteModules = `import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context)) })`

/** Starts a thread at the end, which writes where it looks for what was compiled. */
const noteCacheOfThreads = `import { isMainThread, Worker } from 'node:worker_threads'
  const thread = "process.stderr.write(String(require('node:module').getCompileCacheDir()))"
  if (isMainThread) process.once('beforeExit', () => new Worker(thread, { eval: true }))`

/** What a command writes to standard error with this module loaded before it. */
async function withModule(module: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const address = `data:text/javascript,${encodeURIComponent(module)}`
  const ran = await runCommand(args, { env: { ...env, NODE_OPTIONS: `--import ${address}` } })
  assert.equal(ran.code, 0, ran.stderr)
  return ran.stderr
}

test('a command that talks to a server loads nothing of the server', async () => {
  for (const name of ['scan', 'upload', 'versions', 'firewall', 'login', 'logout']) {
    const loaded = await withModule(noteModules, [name, '--help'])
    assert.match(loaded, /src\/cli\/client\.ts/)
    assert.doesNotMatch(loaded, /src\/compose\/|src\/kernel\/database\/|node_modules\/(fastify|pg)\//, name)
  }
})

test('a command that looks after the database does not load what answers requests', async () => {
  for (const name of ['db', 'backup', 'restore']) {
    assert.doesNotMatch(await withModule(noteModules, [name, '--help']), /node_modules\/fastify\//, name)
  }
})

test('the help names every command, and a wrong word gets the one that was meant', async () => {
  const { stdout } = await runCommand(['--help'])
  for (const name of ['serve', 'demo', 'token', 'person', 'keys', 'audit', 'db', 'counters', 'backup', 'restore'])
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
  for (const name of ['doctor', 'feed', 'scan', 'upload', 'versions', 'firewall', 'login', 'logout'])
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
  const wrong = await runCommand(['restor'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /Did you mean restore\?/)
})

test('threads take what was compiled from where the process does', async () => {
  const folder = await withModule(noteCacheOfThreads, ['versions', 'npm'], { NODE_COMPILE_CACHE: '' })
  assert.match(folder, /node_modules\/\.cache\/gatehouse\//)
})
