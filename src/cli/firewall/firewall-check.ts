import { type Command, Option } from 'commander'
import { getVerdict } from '../../capabilities/firewall/contract.ts'
import type { Verdict } from '../../capabilities/firewall/verdicts/verdict.ts'
import { type EcosystemId, registryEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { fromPurl } from '../../ecosystems/registry.ts'
import { trimEnd } from '../../kernel/text/trim.ts'
import { CommandProblem } from '../command-problem.ts'
import { print } from '../output.ts'
import { printable } from '../scan/receipt-table.ts'
import type { Server } from '../scan/upload-client.ts'
import { findServer, type UploadOptions } from '../scan/upload-command.ts'
import { wholeNumber } from '../whole-number.ts'

type Options = Pick<UploadOptions, 'url' | 'deployment' | 'tokenFile'> & { ecosystem: EcosystemId }
export type Asked = { ecosystem: EcosystemId; name: string; version: string }

const timeoutMs = 30_000

export function firewallCheck(firewall: Command, finish: (code: number) => void): void {
  firewall
    .command('check')
    .description('ask for the verdict on a version of a package')
    .argument('<package@version>', 'for example chalk@5.6.1, group:artifact@1.0, or a package URL')
    .addOption(new Option('--ecosystem <name>', 'whose package it is').choices(registryEcosystemIds).default('npm'))
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL)')
    .option('--deployment <id>', 'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)', wholeNumber)
    .option('--token-file <file>', 'file with the API token (default: the token in GATEHOUSE_TOKEN)')
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'after',
      '\nExits 0 when it would be let through, 1 when it would be refused, 2 when there is no answer.',
    )
    .action(async (text: string, options: Options, command: Command) => {
      const asked = readPackage(text, options.ecosystem)
      const verdict = await ask(await findServer(options, process.env), asked)
      print(command, { ...asked, ...verdict }, told(asked, verdict))
      finish(verdict.refuse ? 1 : 0)
    })
}

/** The version follows the last `@`; one at the beginning belongs to the scope. */
export function readPackage(text: string, ecosystem: EcosystemId): Asked {
  const purl = text.startsWith('pkg:') ? fromPurl(text) : undefined
  if (purl?.version) return { ecosystem: purl.ecosystem.id, name: purl.name, version: purl.version }
  const at = text.lastIndexOf('@')
  const [name, version] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || !version || text.startsWith('pkg:'))
    throw new CommandProblem(`'${text}' does not have the form package@version.`)
  return { ecosystem, name, version }
}

async function ask({ url, token, deploymentId }: Server, asked: Asked): Promise<Verdict> {
  const path = getVerdict.path.replace(':deploymentId', String(deploymentId))
  const target = new URL(`${trimEnd(url.pathname, '/')}${path}`, url)
  target.search = new URLSearchParams(asked).toString()
  // Not before it is needed: it is half of what the client loads.
  const { EnvHttpProxyAgent, request } = await import('undici')
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  try {
    const answer = await request(target, { dispatcher, headers: { authorization: `Bearer ${token}` } })
    const body = (await answer.body.json()) as Verdict & { detail?: string }
    if (answer.statusCode !== 200)
      throw new CommandProblem(`Gatehouse answered ${answer.statusCode}: ${printable(String(body.detail))}`)
    return body
  } catch (error) {
    if (error instanceof CommandProblem) throw error
    throw new CommandProblem(`${url.origin} gives no answer (${(error as { code?: string }).code ?? 'no JSON'}).`)
  } finally {
    await dispatcher.destroy()
  }
}

function told({ name, version }: Asked, verdict: Verdict): string {
  const { decision, refuse, reason, dataAgeSeconds, warnings = [], watched } = verdict
  const words = {
    allow: 'is allowed',
    block: refuse ? 'is blocked' : 'would be blocked, and passes because the firewall only watches',
    held: refuse ? 'is held and refused' : 'is held and passes with a warning',
    undetermined: refuse ? 'is refused' : 'passes with a warning',
  }
  const age = dataAgeSeconds === null ? '' : ` (advisories as of ${dataAgeSeconds} s ago)`
  const asides = [
    ...(watched && watched.reason !== reason ? [`A rule that only watches would refuse it: ${watched.reason}`] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ]
  return printable([`${name}@${version} ${words[decision]}. ${reason}${age}`, ...asides].join(' '))
}
