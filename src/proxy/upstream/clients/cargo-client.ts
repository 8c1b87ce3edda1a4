import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseToml, type TomlTable, tableIn, textIn } from '../../../formats/toml/safe-toml.ts'
import { apart, artifactHostsOf, type DefaultUpstream } from '../default-upstream.ts'
import { isWebAddress } from './run-client.ts'

export const publicIndex = 'https://index.crates.io/'

/** The sparse index that Cargo uses in place of crates.io on this machine: its address, not what Cargo signs in to it with. */
export async function cargoClientUpstream(): Promise<DefaultUpstream> {
  const folder = process.env.CARGO_HOME || join(homedir(), '.cargo')
  for (const file of [join(folder, 'config.toml'), join(folder, 'config')]) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    const index = text === undefined ? undefined : replacementIn(text)
    if (index) return upstreamAt(index, `the replacement of crates-io in ${file}`)
  }
  return upstreamAt(publicIndex, "Cargo's own default")
}

function upstreamAt(address: string, source: string): DefaultUpstream {
  const { url } = apart(address)
  return { url, authorization: undefined, artifactHosts: artifactHostsOf(url), source }
}

/** The Cargo Book, Source Replacement: a source may be replaced by one that is replaced itself. */
export function replacementIn(config: string): string | undefined {
  const { value } = parseToml(config)
  const sources = (value && tableIn(value, 'source')) ?? {}
  const registries = (value && tableIn(value, 'registries')) ?? {}
  let name = 'crates-io'
  for (let steps = 0; steps < 10; steps++) {
    const source = tableIn(sources, name)
    const next = source ? textIn(source, 'replace-with') : ''
    if (next === '') return name === 'crates-io' ? undefined : addressOf(source, tableIn(registries, name))
    name = next
  }
  return undefined
}

function addressOf(source: TomlTable | undefined, registry: TomlTable | undefined): string | undefined {
  const address = (source && textIn(source, 'registry')) || (registry && textIn(registry, 'index')) || ''
  const url = address.startsWith('sparse+') ? address.slice('sparse+'.length) : undefined
  return isWebAddress(url) ? url : undefined
}
