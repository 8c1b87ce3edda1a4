import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('a command that works on an installation makes none where there is none, and names the settings', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-elsewhere-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const data = join(folder, '.gatehouse')
  const said = `There is no installation of Gatehouse in '${data}': set GATEHOUSE_DATA to its data folder, or DATABASE_URL to its database.`
  const commands = ['person reset a@example.com', 'token create --name a', 'keys rotate', 'audit head', 'db migrate']
  for (const command of [...commands, 'counters rebuild', `backup ${join(folder, 'a.backup')}`, 'feed list']) {
    const { code, stderr } = await runCommand(command.split(' '), { cwd: folder })
    assert.deepEqual([code, stderr], [1, `gatehouse: ${said}\n`], command)
  }
  const doctor = await runCommand(['doctor', '--json'], { cwd: folder })
  assert.ok(JSON.parse(doctor.stdout).findings.some(({ detail }: { detail: string }) => detail === said))
  assert.deepEqual([doctor.code, existsSync(data), existsSync(join(folder, 'a.backup'))], [1, false, false])
})

test('threads take what was compiled from where the process does', async () => {
  const folder = await withModule(noteCacheOfThreads, ['versions', 'npm'], { NODE_COMPILE_CACHE: '' })
  assert.match(folder, /node_modules\/\.cache\/gatehouse\//)
})
