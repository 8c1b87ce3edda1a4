import { createHash } from 'node:crypto'
import { createChecksumLog } from './checksum-log.ts'
import {
  type RegistryAnswer,
  type RegistryPlace,
  type RegistryRequest,
  startRegistryServer,
} from './registry-server.ts'
import { zip } from './zip.ts'

export type GoProxySandbox = Awaited<ReturnType<typeof startGoProxy>>

export type SandboxModule = {
  module: string
  version: string
  /** Modules and versions. */
  requires?: Record<string, string>
  publishedAt?: string
  files?: Record<string, string>
}

/** A module proxy with a checksum database behind it (Go Modules Reference, GOPROXY protocol). */
export async function startGoProxy(place: RegistryPlace = {}) {
  const files = new Map<string, Buffer | string>()
  const versions = new Map<string, string[]>()
  const log = createChecksumLog()
  const server = await startRegistryServer(answer, place)

  function publish({
    module,
    version,
    requires = {},
    publishedAt = '2020-01-01T00:00:00Z',
    files: more = {},
  }: SandboxModule) {
    const needs = Object.entries(requires).map(([other, at]) => `\nrequire ${other} ${at}\n`)
    const mod = `module ${module}\n\ngo 1.19\n${needs.join('')}`
    const word = module
      .replace(/\/v\d+$/, '')
      .split('/')
      .at(-1)!
      .replace(/[^a-z]/gi, '')
      .toLowerCase()
    const imports = Object.keys(requires).map((other) => `\nimport _ "${other}"\n`)
    const sources = {
      'go.mod': mod,
      'lib.go': `package ${word}\n${imports.join('')}\n// Version says which one this is.\nconst Version = "${version}"\n`,
      ...more,
    }
    const named = Object.fromEntries(
      Object.entries(sources).map(([path, text]) => [`${module}@${version}/${path}`, text]),
    )
    const folder = `/${escaped(module)}/@v`
    files.set(`${folder}/${escaped(version)}.info`, JSON.stringify({ Version: version, Time: publishedAt }))
    files.set(`${folder}/${escaped(version)}.mod`, mod)
    files.set(`${folder}/${escaped(version)}.zip`, zip(named))
    versions.set(module, [...(versions.get(module) ?? []), version])
    const known = versions.get(module)!
    files.set(`${folder}/list`, known.map((each) => `${each}\n`).join(''))
    files.set(`/${escaped(module)}/@latest`, files.get(`${folder}/${escaped(version)}.info`)!)
    const sums = `${module} ${version} ${sumOf(named)}\n${module} ${version}/go.mod ${sumOf({ 'go.mod': mod })}\n`
    log.add(`${escaped(module)}@${escaped(version)}`, sums)
  }

  function answer({ path }: RegistryRequest): RegistryAnswer {
    const wanted = decodeURIComponent(path)
    const [, database, rest] = /^\/sumdb\/([^/]+)\/(.+)$/.exec(wanted) ?? []
    const body = database === undefined ? files.get(wanted) : log.answer(database, rest!)
    return body === undefined ? { status: 404, body: 'not found' } : { body }
  }

  return { ...server, publish, files, verifier: log.verifier }
}

function escaped(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
}

/** golang.org/x/mod/sumdb/dirhash, Hash1. */
function sumOf(files: Record<string, string>): string {
  const lines = Object.keys(files)
    .sort()
    .map((name) => `${createHash('sha256').update(files[name]!).digest('hex')}  ${name}\n`)
  return `h1:${createHash('sha256').update(lines.join('')).digest('base64')}`
}
