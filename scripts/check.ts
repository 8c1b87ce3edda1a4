import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

const checks = {
  types: ['tsc', '--noEmit', '-p', '.'],
  'types of the console': ['tsc', '--noEmit', '-p', 'console'],
  'lint and format': ['biome', 'check', '.'],
  'unused code': ['knip', '--no-progress'],
}

/** Types, lint, format and unused code. The import rules are a test of their own. Returns how many failed. */
export async function check(): Promise<number> {
  const results = await Promise.all(Object.entries(checks).map(([name, command]) => runCheck(name, command)))
  return results.filter((ok) => !ok).length
}

async function runCheck(name: string, [program, ...args]: string[]): Promise<boolean> {
  const child = spawn(join(root, 'node_modules', '.bin', program!), args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += data))
  child.stderr.on('data', (data) => (output += data))
  const [code] = await once(child, 'close')
  console.log(`${code === 0 ? '✔' : '✖'} ${name}`)
  if (code !== 0) console.log(output)
  return code === 0
}

if (import.meta.main) process.exitCode = (await check()) > 0 ? 1 : 0
