import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import {
  type RegistryAnswer,
  type RegistryPlace,
  type RegistryRequest,
  startRegistryServer,
} from './registry-server.ts'
import { tarball } from './tar.ts'

export type NpmRegistrySandbox = Awaited<ReturnType<typeof startNpmRegistry>>

type Manifest = Record<string, unknown> & { name: string; version: string; dist: Record<string, unknown> }
type Package = { versions: Map<string, Manifest>; tags: Record<string, string>; times: Record<string, string> }

export type NpmPackage = {
  name: string
  version: string
  dependencies?: Record<string, string>
  files?: Record<string, string>
  /** What else its manifest in the packument says: scripts, `_npmUser`, a licence. */
  manifest?: Record<string, unknown>
  /** What else `dist` says: its size, attestations. */
  dist?: Record<string, unknown>
  publishedAt?: string
  tag?: string
}

const abbreviatedType = 'application/vnd.npm.install-v1+json'

/** A registry in the manner of npm's: packuments in both forms, tarballs, validators; with a token if it is asked to want one. */
export async function startNpmRegistry({ token, ...place }: RegistryPlace & { token?: string } = {}) {
  const packages = new Map<string, Package>()
  const tarballs = new Map<string, Buffer>()
  const server = await startRegistryServer(answer, place)
  const signing = createSigning()

  function publish({ name, version, dependencies = {}, files = {}, ...more }: NpmPackage): void {
    const manifest = { name, version, main: 'index.js', dependencies }
    const content = tarball({
      'package/package.json': JSON.stringify(manifest),
      'package/index.js': `module.exports = ${JSON.stringify(`${name}@${version}`)}\n`,
      ...files,
    })
    const path = `/${name}/-/${name.replace(/^@[^/]+\//, '')}-${version}.tgz`
    tarballs.set(path, content)
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
    const dist = { tarball: server.url + path, integrity, shasum: createHash('sha1').update(content).digest('hex') }
    const known: Package = packages.get(name) ?? { versions: new Map(), tags: {}, times: {} }
    packages.set(name, known)
    const signed = { ...dist, ...more.dist, ...signing.of(`${name}@${version}:${integrity}`) }
    known.versions.set(version, { ...manifest, ...more.manifest, dist: signed })
    known.tags[more.tag ?? 'latest'] = version
    known.times[version] = more.publishedAt ?? '2020-01-01T00:00:00.000Z'
  }

  function answer({ method, path, headers, body }: RegistryRequest): RegistryAnswer {
    if (token !== undefined && secretIn(headers.authorization) !== token) return { status: 401, body: '{}' }
    if (method === 'POST')
      return { headers: { 'content-type': 'application/json' }, body: body.length > 0 ? '{}' : '[]' }
    if (path === '/-/npm/v1/keys') return { headers: { 'content-type': 'application/json' }, body: signing.keys }
    const wanted = decodeURIComponent(path)
    const content = tarballs.get(wanted)
    if (content) return { headers: { 'content-type': 'application/octet-stream' }, body: content }
    const found = packages.get(wanted.slice(1))
    if (!found) return { status: 404, headers: { 'content-type': 'application/json' }, body: '{"error":"Not found"}' }
    const isShort = headers.accept?.includes(abbreviatedType) ?? false
    const text = JSON.stringify(packumentOf(wanted.slice(1), found, isShort))
    const etag = `"${createHash('sha1').update(text).digest('hex')}"`
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } }
    return { headers: { 'content-type': isShort ? abbreviatedType : 'application/json', etag }, body: text }
  }

  return { ...server, publish, packages, tarballs }
}

/** As npm's registry signs what it serves: ECDSA over `name@version:integrity`. */
function createSigning() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const keyid = `SHA256:${createHash('sha256').update(key).digest('base64url')}`
  const kind = 'ecdsa-sha2-nistp256'
  const keys = [{ expires: null, keyid, keytype: kind, scheme: kind, key: key.toString('base64') }]
  const of = (text: string) => ({
    signatures: [{ keyid, sig: createSign('SHA256').update(text).sign(privateKey, 'base64') }],
  })
  return { keys: JSON.stringify({ keys }), of }
}

/** A bearer token, or the password of a login. */
function secretIn(authorization = ''): string | undefined {
  const [scheme, value = ''] = authorization.split(' ')
  return scheme === 'Basic' ? Buffer.from(value, 'base64').toString('utf8').split(':')[1] : value
}

function packumentOf(name: string, { versions, tags, times }: Package, isShort: boolean): object {
  const common = { name, 'dist-tags': tags, versions: Object.fromEntries(versions) }
  const modified = '2024-01-01T00:00:00.000Z'
  const [created = modified] = Object.values(times).sort()
  return isShort ? { ...common, modified } : { ...common, time: { created, modified, ...times } }
}
