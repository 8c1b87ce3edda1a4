import { type Command, Option } from 'commander'
import { askForException, type FirewallException } from '../../capabilities/firewall/exceptions/exception-contract.ts'
import { type EcosystemId, registryEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { CommandProblem } from '../command-problem.ts'
import { callServer } from '../login/server-call.ts'
import { print } from '../output.ts'
import { printable } from '../scan/receipt-table.ts'
import { findServer, type UploadOptions } from '../scan/upload-command.ts'
import { wholeNumber } from '../whole-number.ts'
import { readPackage } from './firewall-check.ts'

type Options = Pick<UploadOptions, 'url' | 'deployment' | 'tokenFile'> & { ecosystem: EcosystemId; reason: string }

export function firewallRequest(firewall: Command): void {
  firewall
    .command('request')
    .description('ask for an exception for a version that the firewall refuses')
    .argument('<package@version>', 'for example chalk@5.6.1, group:artifact@1.0, or a package URL')
    .requiredOption('--reason <text>', 'what it is needed for')
    .addOption(new Option('--ecosystem <name>', 'whose package it is').choices(registryEcosystemIds).default('npm'))
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL, else where you are signed in)')
    .option('--deployment <id>', 'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)', wholeNumber)
    .option('--token-file <file>', 'file with the API token (default: your sign-in, else GATEHOUSE_TOKEN)')
    .option('--json', 'print JSON, for programs')
    .action(async (text: string, options: Options, command: Command) => {
      const asked = readPackage(text, options.ecosystem)
      const { url, token, deploymentId } = await findServer(options, process.env)
      const path = askForException.path.replace(':deploymentId', String(deploymentId))
      const wish = { ...asked, reason: options.reason }
      const { status, body } = await callServer(url, 'POST', path, { token, body: wish })
      if (status !== 200) throw new CommandProblem(`Gatehouse answered ${status}: ${printable(String(body.detail))}`)
      const exception = body.exception as FirewallException
      print(command, exception, told(exception))
    })
}

function told({ id, name, version, askerCount }: FirewallException): string {
  const others = askerCount > 1 ? ` ${askerCount} people have asked for it.` : ''
  return printable(`Asked for ${name}@${version}: request ${id}. You are told when it is decided.${others}`)
}
