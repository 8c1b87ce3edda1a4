import { createHash } from 'node:crypto'
import { startCargoRegistry } from '../src/sandbox/registries/cargo-registry.ts'
import { startGoProxy } from '../src/sandbox/registries/go-proxy.ts'
import { startMavenRegistry } from '../src/sandbox/registries/maven-registry.ts'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { startPypiRegistry } from '../src/sandbox/registries/pypi-registry.ts'
import type { startRegistryServer } from '../src/sandbox/registries/registry-server.ts'

type Server = Awaited<ReturnType<typeof startRegistryServer>>

/** One ecosystem's registry of the sandbox, as our adapter reaches it. */
export type TestRegistry = {
  server: Server
  /** What is set as its default upstream. */
  upstream: string
  /** Publishes a package that nobody has asked for yet. `large`: more than is held in memory. */
  publish(large?: boolean): Published
}

/** Where it is at our adapter, and what it is called at its registry. */
export type Published = {
  name: string
  metadata: string
  artifact: string
  isMetadata(path: string): boolean
  isArtifact(path: string): boolean
  content(): Buffer
}

const largeBytes = 3_000_000

async function openNpm(): Promise<TestRegistry> {
  const registry = await startNpmRegistry()
  let count = 0
  function publish(large = false): Published {
    const name = `package-${count++}`
    registry.publish({ name, version: '1.0.0', files: large ? { 'package/large': noise(name) } : {} })
    const path = `/${name}/-/${name}-1.0.0.tgz`
    return {
      name,
      metadata: `npm/${name}`,
      artifact: `npm${path}`,
      isMetadata: (asked) => asked === `/${name}`,
      isArtifact: (asked) => asked === path,
      content: () => registry.tarballs.get(path)!,
    }
  }
  return { server: registry, upstream: registry.url, publish }
}

async function openPypi(): Promise<TestRegistry> {
  const registry = await startPypiRegistry()
  let count = 0
  function publish(large = false): Published {
    const name = `package${count++}`
    registry.publish({ name, version: '1.0' })
    const file = registry.projects.get(name)![0]!
    if (large) file.content = Buffer.from(noise(name))
    return {
      name,
      metadata: `pypi/simple/${name}/`,
      artifact: `pypi/simple/${name}/${file.filename}`,
      isMetadata: (asked) => asked === `/simple/${name}/`,
      isArtifact: (asked) => asked === `/files/${name}/${file.filename}`,
      content: () => file.content,
    }
  }
  return { server: registry, upstream: registry.indexUrl, publish }
}

async function openMaven(): Promise<TestRegistry> {
  const registry = await startMavenRegistry()
  let count = 0
  function publish(large = false): Published {
    const artifact = `package${count++}`
    const folder = `com/acme/${artifact}`
    const jar = `${folder}/1.0/${artifact}-1.0.jar`
    registry.publish({ group: 'com.acme', artifact, version: '1.0' })
    if (large) registry.put(jar, noise(artifact))
    return {
      name: `com.acme:${artifact}`,
      metadata: `maven/${folder}/maven-metadata.xml`,
      artifact: `maven/${jar}`,
      isMetadata: (asked) => asked === `/${folder}/maven-metadata.xml`,
      isArtifact: (asked) => asked === `/${jar}`,
      content: () => registry.files.get(jar)!.content,
    }
  }
  return { server: registry, upstream: registry.url, publish }
}

async function openCargo(): Promise<TestRegistry> {
  const registry = await startCargoRegistry()
  let count = 0
  function publish(large = false): Published {
    const name = `package-${count++}`
    registry.publish({ name, version: '1.0.0', files: large ? { large: noise(name) } : {} })
    const download = `/crates/${name}/1.0.0/download`
    return {
      name,
      metadata: `cargo/pa/ck/${name}`,
      artifact: `cargo/api/v1${download}`,
      isMetadata: (asked) => asked === `/pa/ck/${name}`,
      isArtifact: (asked) => asked === download,
      content: () => registry.crates.get(download)!,
    }
  }
  return { server: registry, upstream: registry.url, publish }
}

async function openGo(): Promise<TestRegistry> {
  const registry = await startGoProxy()
  let count = 0
  function publish(large = false): Published {
    const name = `acme.example/package${count++}`
    registry.publish({ module: name, version: 'v1.0.0', files: large ? { large: noise(name) } : {} })
    const [info, zip] = [`/${name}/@v/v1.0.0.info`, `/${name}/@v/v1.0.0.zip`]
    return {
      name,
      metadata: `go${info}`,
      artifact: `go${zip}`,
      isMetadata: (asked) => asked === info,
      isArtifact: (asked) => asked === zip,
      content: () => registry.files.get(zip) as Buffer,
    }
  }
  return { server: registry, upstream: registry.url, publish }
}

export const registries = { npm: openNpm, pypi: openPypi, maven: openMaven, cargo: openCargo, gomod: openGo }

/** Text that does not compress, another for each name. */
function noise(name: string): string {
  const parts: string[] = []
  for (let at = 0; at * 128 < largeBytes; at++) parts.push(createHash('sha512').update(`${name} ${at}`).digest('hex'))
  return parts.join('')
}
