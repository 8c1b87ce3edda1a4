import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type RegistryAnswer,
  type RegistryPlace,
  type RegistryRequest,
  startRegistryServer,
} from './registry-server.ts'
import { zip } from './zip.ts'

export type MavenRegistrySandbox = Awaited<ReturnType<typeof startMavenRegistry>>

export type MavenPackage = {
  group: string
  artifact: string
  version: string
  dependencies?: { group: string; artifact: string; version: string }[]
  publishedAt?: string
}

type File = { content: Buffer; publishedAt: string }

/**
 * A Maven repository: POMs, jars, metadata and their checksums. What it does not have it looks for in `behind`, a folder laid
 * out like a repository, such as Maven keeps one of its own.
 */
export async function startMavenRegistry({ behind, ...place }: RegistryPlace & { behind?: string | undefined } = {}) {
  const files = new Map<string, File>()
  const versions = new Map<string, string[]>()
  const server = await startRegistryServer(answer, place)

  function put(path: string, content: Buffer | string, publishedAt = '2020-01-01T00:00:00.000Z'): void {
    files.set(path, { content: Buffer.from(content), publishedAt })
  }

  function publish({ group, artifact, version, dependencies = [], publishedAt }: MavenPackage): void {
    const folder = `${group.replaceAll('.', '/')}/${artifact}`
    const stem = `${folder}/${version}/${artifact}-${version}`
    put(`${stem}.pom`, pomOf({ group, artifact, version, dependencies }), publishedAt)
    put(
      `${stem}.jar`,
      zip({
        'META-INF/MANIFEST.MF': 'Manifest-Version: 1.0\r\n\r\n',
        'version.txt': `${group}:${artifact}:${version}`,
      }),
      publishedAt,
    )
    const known = [...(versions.get(folder) ?? []), version]
    versions.set(folder, known)
    put(`${folder}/maven-metadata.xml`, metadataOf(group, artifact, known), publishedAt)
  }

  function find(path: string): File | undefined {
    const known = files.get(path)
    if (known || behind === undefined || path.split('/').includes('..')) return known
    const place = join(behind, path)
    const facts = statSync(place, { throwIfNoEntry: false })
    return facts?.isFile() ? { content: readFileSync(place), publishedAt: facts.mtime.toISOString() } : undefined
  }

  function answer({ path }: RegistryRequest): RegistryAnswer {
    const wanted = decodeURIComponent(path).slice(1)
    const [, base = wanted, algorithm] = /^(.*)\.(sha1|md5|sha256|sha512)$/.exec(wanted) ?? []
    const file = find(algorithm ? base : wanted)
    if (!file) return { status: 404, body: 'Not found' }
    if (algorithm) return { body: createHash(algorithm).update(file.content).digest('hex') }
    return { headers: { 'last-modified': new Date(file.publishedAt).toUTCString() }, body: file.content }
  }

  return { ...server, put, publish, files }
}

function pomOf({ group, artifact, version, dependencies = [] }: MavenPackage): string {
  const listed = dependencies.map(
    (one) =>
      `<dependency><groupId>${one.group}</groupId><artifactId>${one.artifact}</artifactId><version>${one.version}</version></dependency>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
<dependencies>${listed.join('')}</dependencies></project>
`
}

function metadataOf(group: string, artifact: string, versions: string[]): string {
  const newest = versions.at(-1)
  const list = versions.map((version) => `      <version>${version}</version>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<metadata>
  <groupId>${group}</groupId>
  <artifactId>${artifact}</artifactId>
  <versioning>
    <latest>${newest}</latest>
    <release>${newest}</release>
    <versions>
${list}
    </versions>
    <lastUpdated>20260101000000</lastUpdated>
  </versioning>
</metadata>
`
}
