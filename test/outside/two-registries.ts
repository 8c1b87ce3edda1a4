import type { ProxiedEcosystemId } from '../../src/ecosystems/ecosystem.ts'
import { startCargoRegistry } from '../../src/sandbox/registries/cargo-registry.ts'
import { startGoProxy } from '../../src/sandbox/registries/go-proxy.ts'
import { startMavenRegistry } from '../../src/sandbox/registries/maven-registry.ts'
import { startNpmRegistry } from '../../src/sandbox/registries/npm-registry.ts'
import { startPypiRegistry } from '../../src/sandbox/registries/pypi-registry.ts'
import type { RegistryAnswer, startRegistryServer } from '../../src/sandbox/registries/registry-server.ts'

type Server = Awaited<ReturnType<typeof startRegistryServer>>

/** A registry of the sandbox that packages of one ecosystem can be published to by name and version. */
type Stocked = { server: Server; url: string; publish(name: string, version: string): void }

export type Ecosystem = ProxiedEcosystemId

const start: Record<Ecosystem, (options?: { behind?: string | undefined }) => Promise<Stocked>> = {
  async npm() {
    const server = await startNpmRegistry()
    return { server, url: server.url, publish: (name, version) => server.publish({ name, version }) }
  },
  async pypi() {
    const server = await startPypiRegistry()
    return { server, url: server.indexUrl, publish: (name, version) => server.publish({ name, version }) }
  },
  async maven(options = {}) {
    const server = await startMavenRegistry(options)
    const publish = (name: string, version: string) => {
      const [group = '', artifact = ''] = name.split(':')
      server.publish({ group, artifact, version })
    }
    return { server, url: server.url, publish }
  },
  async cargo() {
    const server = await startCargoRegistry()
    return { server, url: server.url, publish: (name, version) => server.publish({ name, version }) }
  },
  async gomod() {
    const server = await startGoProxy()
    const publish = (module: string, version: string) => server.publish({ module, version: `v${version}` })
    return { server, url: server.url, publish }
  },
}

/** What a private registry does with who is not signed in: turns them away, or hides what it has. */
export type Manner = 'turns away' | 'hides'
/** What has become of it. */
export type State = 'well' | 'token expired' | 'forbidden' | 'down' | 'gone' | 'empty'

const login = { username: 'reader', password: 'right' }
const right = [`Basic ${Buffer.from('reader:right').toString('base64')}`, 'Bearer right']

/** A private registry that wants a login, and a public one where a stranger published under the names of the private one. */
export async function openTwo(ecosystem: Ecosystem, options: { behind?: string | undefined } = {}) {
  const [own, open] = [await start[ecosystem](), await start[ecosystem](options)]
  const control: { manner: Manner; state: State } = { manner: 'turns away', state: 'well' }
  own.server.control.takeOver = (_request, response) => {
    if (control.state === 'down') response.destroy()
    return control.state === 'down'
  }
  own.server.control.meddle = ({ headers }, honest): RegistryAnswer => {
    const isRight = right.includes(headers.authorization ?? '')
    if (control.state === 'gone') return { status: 503 }
    if (control.state === 'empty') return isRight ? { status: 404 } : stranger()
    if (control.state === 'forbidden') return { status: 403 }
    return isRight && control.state === 'well' ? honest : stranger()
  }
  const stranger = (): RegistryAnswer => ({ status: control.manner === 'hides' ? 404 : 401 })

  /** What a deployment enters for the private one. */
  const entry = {
    config: { name: 'Own', url: own.url, ecosystem },
    ...(ecosystem === 'maven' || ecosystem === 'pypi' ? { [ecosystem]: login } : { npm: { basicAuth: login } }),
  }
  const openEntry = { config: { name: 'Open', url: open.url, ecosystem } }

  /** Whether the public one was ever asked about a name. */
  function wasTold(name: string): boolean {
    const parts = ecosystem === 'maven' ? [name.replaceAll('.', '/').replace(':', '/'), name] : [name]
    const said = (text: string) => parts.some((part) => text.toLowerCase().includes(part.toLowerCase()))
    return open.server.seen.some(({ path, body }) => said(decodeURIComponent(path)) || said(body.toString()))
  }

  async function close(): Promise<void> {
    await own.server.close()
    await open.server.close()
  }

  return { own, open, control, entry, openEntry, wasTold, close }
}

/** Where a version is at our adapter: its metadata and its artifact. */
export function placesOf(ecosystem: Ecosystem, name: string, version: string): { metadata: string; artifact: string } {
  if (ecosystem === 'npm') return { metadata: `npm/${name}`, artifact: `npm/${name}/-/${name}-${version}.tgz` }
  if (ecosystem === 'pypi') {
    const folder = `pypi/simple/${name}/`
    return { metadata: folder, artifact: `${folder}${name.replaceAll('-', '_')}-${version}-py3-none-any.whl` }
  }
  if (ecosystem === 'cargo') {
    const file = name.toLowerCase()
    const metadata = `cargo/${file.slice(0, 2)}/${file.slice(2, 4)}/${file}`
    return { metadata, artifact: `cargo/api/v1/crates/${name}/${version}/download` }
  }
  if (ecosystem === 'gomod') {
    const folder = `go/${name.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)}/@v`
    return { metadata: `${folder}/list`, artifact: `${folder}/v${version}.zip` }
  }
  const [group = '', artifact = ''] = name.split(':')
  const folder = `maven/${group.replaceAll('.', '/')}/${artifact}`
  return { metadata: `${folder}/maven-metadata.xml`, artifact: `${folder}/${version}/${artifact}-${version}.jar` }
}
