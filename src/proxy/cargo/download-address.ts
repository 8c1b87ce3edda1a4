import { Fault } from '../../kernel/contract/fault.ts'
import { parsedJson } from '../parsed-json.ts'
import { prefixOf } from './route.ts'

type Wanted = { name: string; version: string; cksum: string }

/** The `dl` of a registry's `config.json`. */
export function downloadTemplate(body: Buffer): string {
  const broken = () =>
    new Fault('bad_upstream', 'What the registry sent is not a config.json with an address of downloads.')
  const config = parsedJson(body, 'The config.json of the registry', broken)
  const dl = typeof config === 'object' && config !== null ? (config as { dl?: unknown }).dl : undefined
  if (typeof dl !== 'string') throw broken()
  return dl
}

/** The Cargo Book, Registry Index, Index Configuration: what stands for what, and what is added where nothing does. */
export function downloadAddress(template: string, { name, version, cksum }: Wanted): string {
  const values: Record<string, string> = {
    crate: name,
    version: encodeURIComponent(version),
    prefix: prefixOf(name),
    lowerprefix: prefixOf(name.toLowerCase()),
    'sha256-checksum': cksum,
  }
  const marker = /\{(crate|version|prefix|lowerprefix|sha256-checksum)\}/g
  const whole = marker.test(template) ? template : `${template}/{crate}/{version}/download`
  return whole.replace(marker, (_, word: string) => values[word]!)
}
