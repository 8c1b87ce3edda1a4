import type { Command } from 'commander'
import { type Availability, getVerdict } from '../../capabilities/firewall/contract.ts'
import type { Verdict } from '../../capabilities/firewall/verdicts/verdict.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { fromPurl } from '../../ecosystems/registry.ts'
import { trimEnd } from '../../kernel/text/trim.ts'
import { CommandProblem } from '../command-problem.ts'
import { print } from '../output.ts'
import { printable } from '../scan/receipt-table.ts'
import type { Server } from '../scan/upload-client.ts'
import { findServer } from '../scan/upload-command.ts'
import type { UploadOptions } from '../scan/upload-options.ts'

type Options = Pick<UploadOptions, 'url' | 'deployment' | 'tokenFile'> & { ecosystem: EcosystemId }
export type Asked = { ecosystem: EcosystemId; name: string; version: string }

type Answer = Verdict & { availability?: Availability }

const timeoutMs = 30_000

/** Answers with the exit code. */
export async function checkPackage(text: string, options: Options, command: Command): Promise<number> {
  const asked = readPackage(text, options.ecosystem)
  const server = await findServer(options, process.env)
  // A server of an earlier release does not know the question, and answers the rest.
  const verdict = (await ask(server, { ...asked, availability: 'ask' })) ?? (await ask(server, asked))!
  print(command, { ...asked, ...verdict }, told(asked, verdict))
  if (verdict.refuse) return 1
  return isLacking(verdict) ? 3 : 0
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

type Question = Asked & { availability?: 'ask' }

/** Undefined where it is asked for more than the server knows. */
async function ask({ url, token, deploymentId }: Server, asked: Question): Promise<Answer | undefined> {
  const path = getVerdict.path.replace(':deploymentId', String(deploymentId))
  const target = new URL(`${trimEnd(url.pathname, '/')}${path}`, url)
  target.search = new URLSearchParams(asked).toString()
  const { EnvHttpProxyAgent, request } = await import('../http-client.ts')
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  try {
    const answer = await request(target, { dispatcher, headers: { authorization: `Bearer ${token}` } })
    const body = (await answer.body.json()) as Answer & { detail?: string }
    if (answer.statusCode === 400 && asked.availability) return undefined
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

function isLacking({ availability }: Answer): boolean {
  return availability !== undefined && availability.state !== 'available'
}

function told({ name, version }: Asked, verdict: Answer): string {
  const { decision, refuse, reason, dataAgeSeconds, warnings = [], watched } = verdict
  const words = {
    allow: 'is allowed',
    block: refuse ? 'is blocked' : 'would be blocked, and passes because the firewall only watches',
    held: refuse ? 'is held and refused' : 'is held and passes with a warning',
    undetermined: refuse ? 'is refused' : 'passes with a warning',
  }
  const age = dataAgeSeconds === null ? '' : ` (advisories as of ${dataAgeSeconds} s ago)`
  const asides = [
    ...(isLacking(verdict) ? [`But a client does not get it: ${verdict.availability!.detail}`] : []),
    ...(watched && watched.reason !== reason ? [`A rule that only watches would refuse it: ${watched.reason}`] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ]
  return printable([`${name}@${version} ${words[decision]}. ${reason}${age}`, ...asides].join(' '))
}
