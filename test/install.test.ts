import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

/** Stands in for npm: writes down what it was asked for, and does to node_modules what npm would. */
const npm = `const { appendFileSync, mkdirSync, rmSync } = require('node:fs')
const [command, ...args] = process.argv.slice(2)
if (command === 'ci') rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules', { recursive: true })
appendFileSync('asked', JSON.stringify([command, ...args]) + '\\n')`

/** A clone with nothing in it but what installs and what is run. */
function freshClone(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-clone-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['scripts', 'src']) mkdirSync(join(folder, name))
  copyFileSync(join(import.meta.dirname, '..', 'scripts', 'run.mjs'), join(folder, 'scripts', 'run.mjs'))
  writeFileSync(join(folder, 'npm.cjs'), npm)
  for (const entry of ['src/main.ts', 'scripts/test.ts']) writeFileSync(join(folder, entry), `console.log('${entry}')`)
  const lock = (content: string) => writeFileSync(join(folder, 'package-lock.json'), content)
  lock('{}')

  /** What npm was asked for meanwhile. */
  function run(entry: string): string[][] {
    const asked = join(folder, 'asked')
    rmSync(asked, { force: true })
    const env = { ...process.env, npm_execpath: join(folder, 'npm.cjs') }
    const ran = spawnSync(process.execPath, ['scripts/run.mjs', entry], { cwd: folder, env, encoding: 'utf8' })
    assert.deepEqual([ran.status, ran.stdout], [0, `${entry}\n`], ran.stderr)
    if (!existsSync(asked)) return []
    return readFileSync(asked, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  return { run, lock }
}

const has = (asked: string[][], ...words: string[]) =>
  asked.length === 1 && words.every((word) => asked[0]!.includes(word))

test('what runs the product installs no devDependencies and runs no script of a package', (t) => {
  const { run } = freshClone(t)
  assert.ok(has(run('src/main.ts'), 'ci', '--omit=dev', '--ignore-scripts'))
  assert.deepEqual(run('src/main.ts'), [])
})

test('tests add what they need to it without removing what a server runs from, and both are content with that', (t) => {
  const { run } = freshClone(t)
  run('src/main.ts')
  assert.ok(has(run('scripts/test.ts'), 'install', '--no-save', '--include=dev', '--ignore-scripts'))
  assert.deepEqual([run('scripts/test.ts'), run('src/main.ts')], [[], []])
})

test('a full install suffices for running the product, and another lockfile for neither', (t) => {
  const { run, lock } = freshClone(t)
  assert.ok(has(run('scripts/test.ts'), 'ci', '--include=dev', '--ignore-scripts'))
  assert.deepEqual(run('src/main.ts'), [])
  lock('{"name":"other"}')
  assert.ok(has(run('src/main.ts'), 'ci', '--omit=dev'))
})
