import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import type { Mutation } from '../../test/mutations/mutation.ts'

/** red: a test failed, as it should. green: none did. invalid: nothing was shown, and why. */
export type Verdict = { state: 'red' | 'green' | 'invalid'; why: string }
type Outcome = { passed: number; failed: string[]; crashed: string[]; hung: boolean }

const root = join(import.meta.dirname, '..', '..')
const left = new Set(['node_modules', '.git', '.gatehouse'])
const longestMs = 600_000
/** How long what comes after the first failure is waited for: a test that fails half way may leave a server open. */
const afterFailureMs = 500
/** Tests beside the source start processes of their own, and should come to end them. */
const afterFailureWithProcessesMs = 5_000
const flags = ['--disable-warning=ExperimentalWarning']

/** A copy of the source in `folder`, with the dependencies linked. */
export function makeCopy(folder: string): string {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(root)) {
    if (!left.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Makes the edit in the copy, runs its tests, and takes the edit back. */
export async function tryMutation(copy: string, mutation: Mutation, env: NodeJS.ProcessEnv): Promise<Verdict> {
  const path = join(copy, mutation.file)
  const original = readFileSync(path, 'utf8')
  const parts = original.split(mutation.find)
  if (parts.length !== 2) return { state: 'invalid', why: `its text occurs ${parts.length - 1} times` }
  writeFileSync(path, parts.join(mutation.replace))
  try {
    // The shared database was made by the unchanged migrations; without one named, test files make their own.
    const { GATEHOUSE_TEST_CLUSTER: _, ...own } = env
    const changed = changesSchema(mutation) ? own : env
    const problem = await loadProblem(copy, mutation, changed)
    if (problem) return { state: 'invalid', why: `what was edited does not load: ${problem}` }
    return verdictOf(await runTests(copy, mutation.tests, changed, loadFirst(copy, mutation)))
  } finally {
    writeFileSync(path, original)
  }
}

/** Runs a test file without any edit. */
export async function tryTest(copy: string, file: string, env: NodeJS.ProcessEnv): Promise<Verdict> {
  const outcome = await runTests(copy, [file], env)
  return outcome.passed + outcome.crashed.length > 0 ? verdictOf(outcome) : { state: 'invalid', why: 'no test ran' }
}

function verdictOf({ failed, crashed, passed, hung }: Outcome): Verdict {
  if (failed.length > 0) return { state: 'red', why: `${failed.length} failed: ${failed[0]}` }
  if (hung) return { state: 'invalid', why: `no test failed within ${longestMs / 60_000} minutes` }
  if (crashed.length > 0) return { state: 'invalid', why: `crashed before a test failed: ${crashed.join(', ')}` }
  return { state: 'green', why: `${passed} passed` }
}

/** Tests that failed, by name, and files that ended badly without one. */
async function runTests(
  copy: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  execArgv: string[] = flags,
): Promise<Outcome> {
  const outcome: Outcome = { passed: 0, failed: [], crashed: [], hung: false }
  const paths = files.map((file) => join(copy, file))
  const ending = new AbortController()
  const longest = setTimeout(() => {
    outcome.hung = true
    ending.abort()
  }, longestMs)
  const { signal } = ending
  const events = run({ files: paths, cwd: copy, env, concurrency: 1, execArgv, signal })
  events.on('test:pass', ({ details, skip }) => {
    if (details.type !== 'suite' && !skip) outcome.passed++
  })
  events.on('test:fail', ({ name, details }) => {
    if (details.type === 'suite') {
      const failure = (details.error as { failureType?: string } | undefined)?.failureType
      if (failure === 'hookFailed') outcome.crashed.push(name)
      return
    }
    // What goes wrong outside of a test is reported under the name of its file.
    const file = paths.find((path) => path === name || relative(copy, path) === name)
    if (file) outcome.crashed.push(relative(copy, file))
    else outcome.failed.push(`${name} (${reasonOf(details.error)})`)
    const patienceMs = files.some((path) => path.startsWith('test/')) ? afterFailureWithProcessesMs : afterFailureMs
    if (outcome.failed.length === 1) setTimeout(() => ending.abort(), patienceMs).unref()
  })
  for await (const _ of events) {
    // The events above are counted as they pass.
  }
  clearTimeout(longest)
  return outcome
}

/** The first line of what went wrong: a test that fails without an edit is to be mended by it. */
function reasonOf({ cause, message }: Error): string {
  return String((cause as Error | undefined)?.message ?? message)
    .split('\n')[0]!
    .slice(0, 200)
}

function changesSchema({ file }: Mutation): boolean {
  return file.startsWith('migrations/') || file === 'src/kernel/database/migrations/migrate.ts'
}

function isModule({ file }: Mutation): boolean {
  return /^(src|test)\/.*\.ts$/.test(file) && file !== 'src/main.ts'
}

/**
 * An edit that breaks everything shows nothing about a protection: the edited module is loaded before the tests, which are
 * not run where it cannot be.
 */
function loadFirst(copy: string, mutation: Mutation): string[] {
  return isModule(mutation) ? [...flags, '--import', pathToFileURL(join(copy, mutation.file)).href] : flags
}

/** What is wrong with what is not a module: by itself, for the same reason. */
async function loadProblem(copy: string, mutation: Mutation, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (isModule(mutation) && !changesSchema(mutation)) return undefined
  // A configuration is read by the program that it is for, in the test.
  if (mutation.file.startsWith('deploy/')) return undefined
  if (mutation.file.endsWith('.tsx')) return componentProblem(join(copy, mutation.file))
  const [args, message] = changesSchema(mutation)
    ? [['--input-type=module', '--eval', buildSchema(copy)], 'the schema cannot be built']
    : [['--check', join(copy, mutation.file)], 'a syntax error']
  const child = spawn(process.execPath, [...flags, ...args], { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (data) => (output += data))
  const [code] = await once(child, 'close')
  if (code === 0) return undefined
  const said = output.split('\n').find((line) => /error/i.test(line)) ?? output.slice(-200)
  return `${message} (${said.trim()})`
}

/** A component is not a module of Node's. */
async function componentProblem(file: string): Promise<string | undefined> {
  try {
    await transform(readFileSync(file, 'utf8'), { loader: 'tsx' })
    return undefined
  } catch (error) {
    return `a syntax error (${(error as Error).message})`
  }
}

function buildSchema(copy: string): string {
  return `const { throwAwayDatabase } = await import(${JSON.stringify(join(copy, 'test/cluster.ts'))})
    const database = await throwAwayDatabase()
    await database.drop()`
}
