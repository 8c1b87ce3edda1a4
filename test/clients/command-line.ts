import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { root } from '../servers/real-process.ts'

export type Ran = { code: number; stdout: string; stderr: string }
export type Running = { cwd?: string; env?: Record<string, string>; input?: string }

// Sources are stripped and compiled once, not once for each command.
const NODE_COMPILE_CACHE = `${root}/node_modules/.cache/gatehouse`

/** Runs `gatehouse` with these arguments to its end, in an environment of its own: nothing of ours, nor of a CI service. */
export async function runCommand(args: string[], { cwd = root, env = {}, input = '' }: Running = {}): Promise<Ran> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', `${root}/src/main.ts`, ...args], {
    cwd,
    // Clients that it runs leave things at home, which is not the checkout.
    env: {
      PATH: process.env.PATH,
      HOME: cwd === root ? tmpdir() : cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      NODE_COMPILE_CACHE,
      ...env,
    },
    stdio: 'pipe',
  })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number, stdout, stderr }
}
