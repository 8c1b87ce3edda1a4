import { hostname } from 'node:os'
import type { Command } from 'commander'
import { createToken } from '../../capabilities/tokens/contract.ts'
import { CommandProblem } from '../command-problem.ts'
import { callServer } from '../login/server-call.ts'
import { isFor, readLogin } from '../login/stored-login.ts'
import { print } from '../output.ts'
import { printable } from '../scan/receipt-table.ts'
import type { Environment } from '../scan/subject/ci-environment.ts'
import { findAddress, findServer } from '../scan/upload-command.ts'
import type { UploadOptions } from '../scan/upload-options.ts'

type Options = Pick<UploadOptions, 'url' | 'deployment' | 'tokenFile'> & { days: number }

export async function printToken(options: Options, command: Command): Promise<void> {
  const { url, token, deploymentId } = await findServer(options, signInFirst(options, process.env))
  const path = createToken.path.replace(':deploymentId', String(deploymentId))
  const name = `packages on ${hostname()}`.slice(0, 200)
  const wanted = { name, webApi: true, scopes: ['packages:read'], expiresInDays: options.days }
  const { status, body } = await callServer(url, 'POST', path, { token, body: wanted })
  if (status !== 200) throw new CommandProblem(`Gatehouse answered ${status}: ${printable(String(body.detail))}`)
  print(command, { token: body.secret, expiresAt: body.token.expiresAt }, body.secret)
}

/** The variable may hold what this command printed yesterday, and that makes no other token. */
function signInFirst(options: Options, env: Environment): Environment {
  const { url, deploymentId } = findAddress(options, env)
  const login = readLogin(env)
  return login && isFor(login, url, deploymentId) ? { ...env, GATEHOUSE_TOKEN: '' } : env
}
