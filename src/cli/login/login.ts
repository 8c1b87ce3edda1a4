import { hostname } from 'node:os'
import type { Command } from 'commander'
import { revokeSelf } from '../../capabilities/tokens/contract.ts'
import { CommandProblem } from '../command-problem.ts'
import { print } from '../output.ts'
import { findAddress } from '../scan/upload-command.ts'
import { signInByDevice } from './device-client.ts'
import { callServer } from './server-call.ts'
import { loginFile, readLogin, removeLogin, type StoredLogin, writeLogin } from './stored-login.ts'

export type LoginOptions = { url?: string; deployment?: number; scope?: string[]; days: number }

/** What the commands of the client need, and `firewall token`. */
const usualScopes = [
  'scans:write',
  'scans:read',
  'repositories:read',
  'findings:read',
  'dependencies:read',
  'firewall:read',
  'packages:read',
  'tokens:write',
]

export async function signIn(options: LoginOptions, command: Command): Promise<void> {
  const { url, deploymentId: deployment } = findAddress(options, process.env)
  const scopes = options.scope ?? usualScopes
  const earlier = earlierLogin()
  const granted = await signInByDevice({ url, deployment, scopes, days: options.days, hostName: hostname() }, { show })
  const expiresAt = new Date(Date.now() + granted.expiresInSeconds * 1000).toISOString()
  const file = writeLogin(process.env, { url: url.href, deployment, token: granted.token, expiresAt })
  // One machine, one token: the one before is not left lying about.
  if (earlier) await revoke(earlier).catch(() => undefined)
  const result = { url: url.href, deployment, scopes: granted.scopes, expiresAt, file }
  const until = `until ${expiresAt.slice(0, 10)}`
  print(
    command,
    result,
    `Signed in to ${url.origin} ${until}, for: ${granted.scopes.join(', ')}.\nThe token is in ${file}.`,
  )
}

export async function signOut(command: Command): Promise<void> {
  const login = readLogin(process.env)
  if (!login) return print(command, { signedOut: false }, 'Nobody is signed in here.')
  // Removed even where the server is out of reach: then it says so, and the token ends by itself.
  removeLogin(process.env)
  const { status, body } = await revoke(login).catch((error: Error) => ({
    status: 0,
    body: { detail: error.message },
  }))
  if (status !== 200 && status !== 401)
    throw new CommandProblem(`The token is removed from here, but not revoked: ${body.detail}`)
  print(command, { signedOut: true }, `Signed out of ${new URL(login.url).origin}; the token is revoked.`)
}

/** On the error stream: what a program reads is the result. */
function show(code: string, page: string, minutes: number): void {
  console.error(
    `Open ${page}\nand type this code, if it is you who runs this command:\n\n    ${code}\n\nIt works for ${minutes} minutes. Waiting…`,
  )
}

function revoke({ url, token }: StoredLogin) {
  return callServer(new URL(url), 'DELETE', revokeSelf.path, { token })
}

/** What cannot be read is replaced. */
function earlierLogin(): StoredLogin | undefined {
  if (!loginFile(process.env)) return undefined
  try {
    return readLogin(process.env)
  } catch {
    return undefined
  }
}
