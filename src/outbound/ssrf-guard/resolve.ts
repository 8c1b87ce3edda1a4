import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OutboundError } from '../outbound-error.ts'
import type { AddressRules } from './address-rules.ts'
import { hostOf } from './url-rules.ts'

/** All addresses of a name, in the order in which to try them. */
export type Resolver = (name: string) => Promise<string[]>

export async function systemResolver(name: string): Promise<string[]> {
  const answers = await lookup(name, { all: true, verbatim: true })
  return answers.map(({ address }) => address)
}

/**
 * Looks a host up, once, and returns the addresses that may be dialled. One forbidden address among several refuses the
 * whole name: a public name that also points inward is a mistake or an attack, and to pick the good ones would hide it.
 */
export async function resolveChecked(url: URL, rules: AddressRules, resolver: Resolver): Promise<string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await lookUp(url, host, resolver)
  for (const address of addresses) {
    const word = rules(address)
    if (word) throw blocked(url, word, address)
  }
  return [...new Set(addresses)]
}

export function blocked(url: URL, word: string, address: string): OutboundError {
  const message = `${url.origin} leads to a ${word} address; GATEHOUSE_EGRESS_ALLOW does not name it.`
  return new OutboundError('blocked_address', message, address)
}

async function lookUp(url: URL, host: string, resolver: Resolver): Promise<string[]> {
  const fail = (code: string) =>
    new OutboundError('dns', `The name of ${url.origin} cannot be resolved (${code}).`, code)
  let addresses: string[]
  try {
    addresses = await resolver(host)
  } catch (error) {
    throw fail((error as NodeJS.ErrnoException).code ?? 'no code')
  }
  if (addresses.length === 0) throw fail('no address')
  return addresses
}
