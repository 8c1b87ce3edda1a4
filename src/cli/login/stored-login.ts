import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandProblem } from '../command-problem.ts'
import type { Environment } from '../scan/subject/ci-environment.ts'

/** What `gatehouse login` got. */
export type StoredLogin = { url: string; deployment: number; token: string; expiresAt: string }

/** In the folder for settings of the person, as their system has it; undefined where there is none. */
export function loginFile(env: Environment): string | undefined {
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || (env.HOME && join(env.HOME, '.config'))
  return folder ? join(folder, 'gatehouse', 'login.json') : undefined
}

/** Undefined where nobody is signed in. */
export function readLogin(env: Environment): StoredLogin | undefined {
  const file = loginFile(env)
  const stat = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
  if (!file || !stat) return undefined
  // As ssh has it with keys: what others can read is theirs, too.
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new CommandProblem(`Others can read '${file}'. Run: chmod 600 '${file}', or sign in again: gatehouse login`)
  }
  const read = parse(readFileSync(file, 'utf8'))
  if (!read) throw new CommandProblem(`'${file}' cannot be read. Sign in again: gatehouse login`)
  return read
}

/** Nobody but the person reads it, at no moment. */
export function writeLogin(env: Environment, login: StoredLogin): string {
  const file = loginFile(env)
  if (!file) throw new CommandProblem('There is no home folder to keep the token in: neither HOME nor XDG_CONFIG_HOME.')
  const fresh = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(fresh, 0o600)
  renameSync(fresh, file)
  return file
}

export function removeLogin(env: Environment): void {
  const file = loginFile(env)
  if (file) rmSync(file, { force: true })
}

/** A token goes to the server that gave it and to no other. */
export function isFor(login: StoredLogin, url: URL, deployment: number): boolean {
  const own = new URL(login.url)
  return own.origin === url.origin && own.pathname === url.pathname && login.deployment === deployment
}

function parse(text: string): StoredLogin | undefined {
  try {
    const { url, deployment, token, expiresAt } = JSON.parse(text)
    const right = URL.canParse(url) && Number.isSafeInteger(deployment) && /^[\x21-\x7e]+$/.test(token)
    return right && typeof expiresAt === 'string' ? { url, deployment, token, expiresAt } : undefined
  } catch {
    return undefined
  }
}
