// Installs what is missing, then runs a TypeScript entry on the project's own Node. Plain JavaScript without
// dependencies, because it is the first thing that runs on a fresh clone, on whatever Node (20 or newer) is there.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.gatehouse-installed')
const oldestNode = [24, 12]
const npmHost = [20, 19]
/** npm has installed it below node_modules, with all that it needs beside it; the lockfile is only in a clone. */
const isPackage = !existsSync(join(root, 'package-lock.json'))

const [entry, ...args] = process.argv.slice(2)
/** What tests, checks and benchmarks need besides is left out for whoever only runs the product. */
const needsAll = entry !== 'src/main.ts'
install()
run(findNode())

/** Unless node_modules is already what package-lock.json says. One process at a time. */
function install() {
  if (isPackage || isInstalled()) return
  const unlock = lockInstall()
  try {
    if (isInstalled()) return
    console.error('gatehouse: installing dependencies (once)…')
    // A server may be running from what is there, so what tests need is added to it; `npm ci` would first remove it all.
    const command = installed() === forRunning() ? ['install', '--no-save'] : ['ci']
    npm(process.execPath, command)
    if (!isAtLeast(process.versions.node, npmHost)) npmOnOwnNode(command)
    writeFileSync(stamp, needsAll ? forAll() : forRunning())
  } finally {
    unlock()
  }
}

function isInstalled() {
  const found = installed()
  return found === forAll() || (!needsAll && found === forRunning())
}

function installed() {
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
}

function forRunning() {
  return `${forAll()} without devDependencies`
}

function forAll() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

/** `npm start` and `npm test` at the same moment on a fresh clone must not install over each other. */
function lockInstall() {
  const file = join(root, '.installing')
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST')
        return fail(`the folder ${root} is not writable, so nothing can be installed (${error.code}).`)
    }
    if (!isAlive(Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Without scripts: what PostgreSQL's package would do in its own is done when the database starts. */
function npm(node, command) {
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund']
  const args = [...command, '--ignore-scripts', needsAll ? '--include=dev' : '--omit=dev', ...quiet]
  const cli = process.env.npm_execpath
  const [program, programArgs] = cli && /\.c?js$/.test(cli) ? [node, [cli, ...args]] : ['npm', args]
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` }
  const { status, error } = spawnSync(program, programArgs, { cwd: root, stdio: ['ignore', 2, 2], env })
  if (status !== 0)
    fail(`npm ${command[0]} did not succeed${error ? ` (${error.message})` : ''}. Its messages are above.`)
}

/** Run by an old Node, npm leaves out optional packages that ask for a newer one. A copy, since npm removes the original. */
function npmOnOwnNode(command) {
  const own = ownNode()
  if (!own) return
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-node-'))
  try {
    copyFileSync(own, join(folder, 'node'))
    npm(join(folder, 'node'), command)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function ownNode() {
  return binFolders()
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file) && spawnSync(file, ['--version']).status === 0)
}

/** Of a package most of what it needs lies beside it. */
function binFolders() {
  return [modules, ...(isPackage ? [dirname(root)] : [])].map((folder) => join(folder, '.bin'))
}

function withOwnNode() {
  return { ...process.env, PATH: [...binFolders(), process.env.PATH ?? ''].join(':') }
}

function findNode() {
  const own = ownNode()
  if (own) return own
  if (isAtLeast(process.versions.node, oldestNode)) return process.execPath
  return fail(
    `Node ${oldestNode.join('.')} or newer is needed, this is ${process.versions.node}, and the one that comes with the ` +
      'project is not installed. Run `npm ci` without --omit=optional, or install a newer Node.',
  )
}

function isAtLeast(version, [major, minor]) {
  const [actualMajor, actualMinor] = version.split('.').map(Number)
  return actualMajor > major || (actualMajor === major && actualMinor >= minor)
}

/** The child hears every signal we hear, and through the closed channel that we are gone. */
function run(node) {
  const stripping = isPackage ? ['--import', new URL('strip-types.mjs', import.meta.url).href] : []
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...stripping, join(root, entry), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: withOwnNode(),
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
  watchNpm(child)
}

/** npm killed with SIGKILL cannot tell us; that our parent, or the one of the shell between us and npm, has changed does. */
function watchNpm(child) {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const shell = /^\S*sh -c /.test(commandOf(parent))
  const npm = shell ? parentOf(parent) : parent
  const isThere = () => process.ppid === parent && (!shell || parentOf(parent) === npm)
  setInterval(() => isThere() || child.kill('SIGTERM'), 500).unref()
}

function commandOf(pid) {
  if (process.platform === 'linux') return readProcess(pid, 'cmdline').replaceAll('\0', ' ')
  return spawnSync('ps', ['-o', 'command=', '-p', pid], { encoding: 'utf8' }).stdout ?? ''
}

function parentOf(pid) {
  // The second field after the name, which stands in parentheses and may hold anything.
  if (process.platform === 'linux') return Number(readProcess(pid, 'stat').split(') ').pop().split(' ')[1])
  return Number(spawnSync('ps', ['-o', 'ppid=', '-p', pid], { encoding: 'utf8' }).stdout)
}

function readProcess(pid, what) {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}

function fail(message) {
  console.error(`gatehouse: ${message}`)
  process.exit(1)
}
