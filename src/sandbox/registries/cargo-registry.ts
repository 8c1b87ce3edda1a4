import { createHash } from 'node:crypto'
import {
  type RegistryAnswer,
  type RegistryPlace,
  type RegistryRequest,
  startRegistryServer,
} from './registry-server.ts'
import { tarball } from './tar.ts'

export type CargoRegistrySandbox = Awaited<ReturnType<typeof startCargoRegistry>>

export type SandboxCrate = {
  name: string
  version: string
  /** Names and requirements. */
  dependencies?: Record<string, string>
  /** Undefined: the index does not say it. */
  publishedAt?: string | undefined
  files?: Record<string, string>
}

type Line = Record<string, unknown> & { vers: string }

/** A sparse registry (the Cargo Book, Registry Index): an index of lines of JSON, and crates. */
export async function startCargoRegistry(place: RegistryPlace = {}) {
  const index = new Map<string, Line[]>()
  const crates = new Map<string, Buffer>()
  const server = await startRegistryServer(answer, place)

  function publish({ name, version, dependencies = {}, files = {}, ...more }: SandboxCrate): void {
    const publishedAt = 'publishedAt' in more ? more.publishedAt : '2020-01-01T00:00:00Z'
    const folder = `${name}-${version}`
    const needs = Object.entries(dependencies).map(([other, req]) => `${other} = "${req}"\n`)
    const manifest = `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n\n[dependencies]\n${needs.join('')}`
    const content = tarball({
      [`${folder}/Cargo.toml`]: manifest,
      [`${folder}/src/lib.rs`]: `pub fn version() -> &'static str { "${version}" }\n`,
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text])),
    })
    const deps = Object.entries(dependencies).map(([other, req]) => ({
      name: other,
      req,
      features: [],
      optional: false,
      default_features: true,
      target: null,
      kind: 'normal',
    }))
    put({ name, version }, content)
    const cksum = createHash('sha256').update(content).digest('hex')
    const line = { name, vers: version, deps, cksum, features: {}, yanked: false }
    const path = indexPath(name)
    const others = (index.get(path) ?? []).filter(({ vers }) => vers !== version)
    index.set(path, [...others, publishedAt === undefined ? line : { ...line, pubtime: publishedAt }])
  }

  function put({ name, version }: { name: string; version: string }, content: Buffer): void {
    crates.set(`/crates/${name}/${version}/download`, content)
  }

  function answer({ path }: RegistryRequest): RegistryAnswer {
    const wanted = decodeURIComponent(path)
    if (wanted === '/config.json') return { body: JSON.stringify({ dl: `${server.url}/crates`, api: server.url }) }
    const lines = index.get(wanted.slice(1))
    if (lines)
      return {
        headers: { 'content-type': 'text/plain' },
        body: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
      }
    const content = crates.get(wanted)
    return content ? { body: content } : { status: 404, body: 'Not found' }
  }

  return { ...server, publish, index, crates }
}

function indexPath(name: string): string {
  const file = name.toLowerCase()
  if (file.length < 3) return `${file.length}/${file}`
  return file.length === 3 ? `3/${file[0]}/${file}` : `${file.slice(0, 2)}/${file.slice(2, 4)}/${file}`
}
