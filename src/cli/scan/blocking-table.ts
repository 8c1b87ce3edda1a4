import type { BlockingFinding, Receipt } from '../../capabilities/scans/contract.ts'
import { printable } from './receipt-table.ts'

/** What a developer needs to get on: where, what, what to do, why it blocks, and where to read more. */
export function blockingText(receipt: Receipt, url: URL): string {
  const { blockingFindings: findings = [], blockingFindingCount: total } = receipt
  if (findings.length === 0) return ''
  const more = total - findings.length
  const heading = total === 1 ? '1 finding blocks this:' : `${total} findings block this:`
  return [heading, ...findings.map((one) => toldOf(one, url)), ...(more > 0 ? [`And ${more} more.`] : [])].join('\n\n')
}

/** The receipt for programs: each finding with the address of its page. A server of before tells of none. */
export function withAddresses(receipt: Receipt, url: URL): Receipt {
  const blockingFindings = (receipt.blockingFindings ?? []).map((one) => ({ ...one, url: addressOf(one, url) }))
  return { ...receipt, blockingFindings }
}

function toldOf(finding: BlockingFinding, url: URL): string {
  const { severity, title, path, line, rule, dependency, advisories, fixedVersion, because } = finding
  const place = path && (line > 0 ? `${path}:${line}` : path)
  const word = severity.replace('SEVERITY_', '').toLowerCase()
  const facts = [
    place && `at ${place}`,
    dependency ? `package ${dependency.name} ${dependency.version} (${dependency.ecosystem})` : `rule ${rule}`,
    advisories.length > 0 && `advisory ${advisories.slice(0, 3).join(', ')}`,
    dependency && (fixedVersion ? `fixed in ${fixedVersion}` : 'no fixed version is known'),
    because.length > 0 && `because ${because.join(', and ')}`,
    addressOf(finding, url),
  ]
  const lines = facts.filter(Boolean).map((fact) => `  ${printable(String(fact))}`)
  return [printable(`${word}: ${title}`), ...lines].join('\n')
}

function addressOf({ page }: BlockingFinding, url: URL): string {
  return `${url.href.replace(/\/+$/, '')}${page}`
}
