import type { Command } from 'commander'
import { askForException, type FirewallException } from '../../capabilities/firewall/exceptions/exception-contract.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { CommandProblem } from '../command-problem.ts'
import { callServer } from '../login/server-call.ts'
import { print } from '../output.ts'
import { printable } from '../scan/receipt-table.ts'
import { findServer } from '../scan/upload-command.ts'
import type { UploadOptions } from '../scan/upload-options.ts'
import { readPackage } from './firewall-check.ts'

type Options = Pick<UploadOptions, 'url' | 'deployment' | 'tokenFile'> & { ecosystem: EcosystemId; reason: string }

export async function requestException(text: string, options: Options, command: Command): Promise<void> {
  const asked = readPackage(text, options.ecosystem)
  const { url, token, deploymentId } = await findServer(options, process.env)
  const path = askForException.path.replace(':deploymentId', String(deploymentId))
  const wish = { ...asked, reason: options.reason }
  const { status, body } = await callServer(url, 'POST', path, { token, body: wish })
  if (status !== 200) throw new CommandProblem(`Gatehouse answered ${status}: ${printable(String(body.detail))}`)
  const exception = body.exception as FirewallException
  print(command, exception, told(exception, body.byMail === true, url))
}

function told({ id, name, version, askerCount }: FirewallException, byMail: boolean, url: URL): string {
  const then = byMail
    ? 'You get a mail when it is decided.'
    : `What is decided is at ${url.origin}, Firewall, Exceptions.`
  const others = askerCount > 1 ? ` ${askerCount} people have asked for it.` : ''
  return printable(`Asked for ${name}@${version}: request ${id}. ${then}${others}`)
}
