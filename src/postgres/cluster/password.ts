import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fromServerOutput } from '../problem.ts'
import type { Binaries } from './binaries.ts'
import { createOnce } from './durable.ts'
import { asUser, type Identity } from './identity.ts'
import type { DatabaseLocation } from './location.ts'

export const SUPERUSER = 'gatehouse'

export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

export function readPassword(place: DatabaseLocation): string | undefined {
  return existsSync(place.passwordFile) ? readFileSync(place.passwordFile, 'utf8').trim() : undefined
}

/** Writes it down, unless one is written down already; returns the one that counts. */
export function keepPassword(place: DatabaseLocation, password: string): string {
  const kept = createOnce(place.passwordFile, `${password}\n`).trim()
  place.give(place.passwordFile)
  return kept
}

/** Sets it without knowing the old one: single-user mode asks for none. It ends with its input, so also if we die. */
export async function setPassword(
  place: DatabaseLocation,
  binaries: Binaries,
  identity: Identity,
  password: string,
): Promise<void> {
  const args = ['--single', '-D', place.cluster, '-c', `cluster_name=${place.marker}`, 'postgres']
  const child = spawn(binaries.postgres, args, {
    ...asUser(identity),
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end(`alter role ${SUPERUSER} password '${password}'\n`)
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (status !== 0 || /ERROR/.test(said)) throw fromServerOutput('PostgreSQL could not set its password', said)
}
