import { hostname } from 'node:os'
import type { Command } from 'commander'
import { createToken } from '../../capabilities/tokens/contract.ts'
import { CommandProblem } from '../command-problem.ts'
import { callServer } from '../login/server-call.ts'
import { isFor, readLogin } from '../login/stored-login.ts'
import { print } from '../output.ts'
import type { Environment } from '../scan/ci-environment.ts'
import { printable } from '../scan/receipt-table.ts'
import { findAddress, findServer, type UploadOptions } from '../scan/upload-command.ts'
import { wholeNumber } from '../whole-number.ts'

type Options = Pick<UploadOptions, 'url' | 'deployment' | 'tokenFile'> & { days: number }

export function firewallToken(firewall: Command): void {
  firewall
    .command('token')
    .description('print a new API token that fetches packages and does nothing else')
    .option('--days <number>', 'how long it lives', wholeNumber, 1)
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL, else where you are signed in)')
    .option('--deployment <id>', 'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)', wholeNumber)
    .option(
      '--token-file <file>',
      'file with the API token to make it with (default: your sign-in, else GATEHOUSE_TOKEN)',
    )
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nFor example: export GATEHOUSE_TOKEN="$(gatehouse firewall token)"')
    .action(async (options: Options, command: Command) => {
      const { url, token, deploymentId } = await findServer(options, signInFirst(options, process.env))
      const path = createToken.path.replace(':deploymentId', String(deploymentId))
      const name = `packages on ${hostname()}`.slice(0, 200)
      const wanted = { name, webApi: true, scopes: ['packages:read'], expiresInDays: options.days }
      const { status, body } = await callServer(url, 'POST', path, { token, body: wanted })
      if (status !== 200) throw new CommandProblem(`Gatehouse answered ${status}: ${printable(String(body.detail))}`)
      print(command, { token: body.secret, expiresAt: body.token.expiresAt }, body.secret)
    })
}

/** The variable may hold what this command printed yesterday, and that makes no other token. */
function signInFirst(options: Options, env: Environment): Environment {
  const { url, deploymentId } = findAddress(options, env)
  const login = readLogin(env)
  return login && isFor(login, url, deploymentId) ? { ...env, GATEHOUSE_TOKEN: '' } : env
}
