import { createHash } from 'node:crypto'
import {
  type RegistryAnswer,
  type RegistryPlace,
  type RegistryRequest,
  startRegistryServer,
} from './registry-server.ts'
import { zip } from './zip.ts'

export type PypiRegistrySandbox = Awaited<ReturnType<typeof startPypiRegistry>>

export type PythonPackage = {
  name: string
  version: string
  requires?: string[]
  publishedAt?: string
  yanked?: string
  /** Published as source alone. */
  isSource?: boolean
  /** Which interpreter and machine the wheel is for. */
  tag?: string
  /** With an attestation of where it comes from (PEP 740). */
  isAttested?: boolean
  /** What else is in the wheel. */
  files?: Record<string, string>
}

type File = {
  filename: string
  content: Buffer
  metadata: string
  publishedAt: string
  yanked: string | undefined
  isAttested: boolean
}

const jsonType = 'application/vnd.pypi.simple.v1+json'

/** A Python index: pages as JSON (PEP 691) or, if it is told to speak nothing else, as HTML (PEP 503); wheels and their metadata. */
export async function startPypiRegistry({ htmlOnly = false, ...place }: RegistryPlace & { htmlOnly?: boolean } = {}) {
  const projects = new Map<string, File[]>()
  const server = await startRegistryServer(answer, place)

  function publish({
    name,
    version,
    requires = [],
    publishedAt = '2020-01-01T00:00:00.000Z',
    yanked,
    isSource = false,
    tag = 'py3-none-any',
    isAttested = false,
    files: more = {},
  }: PythonPackage): void {
    const stem = `${name.replaceAll('-', '_')}-${version}`
    const needs = requires.map((requirement) => `Requires-Dist: ${requirement}\n`).join('')
    const metadata = `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}`
    const info = `${stem}.dist-info`
    const files = {
      [`${name.replaceAll('-', '_')}.py`]: `version = '${version}'\n`,
      [`${info}/METADATA`]: metadata,
      [`${info}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: sandbox\nRoot-Is-Purelib: true\nTag: ${tag}\n`,
      ...more,
    }
    const record = [...Object.keys(files), `${info}/RECORD`].map((path) => `${path},,\n`).join('')
    const content = zip({ ...files, [`${info}/RECORD`]: record })
    const filename = isSource ? `${stem}.tar.gz` : `${stem}-${tag}.whl`
    const file = { filename, content, metadata, publishedAt, yanked, isAttested }
    projects.set(name, [...(projects.get(name) ?? []), file])
  }

  function answer({ path, headers }: RegistryRequest): RegistryAnswer {
    const [, root, name = '', filename] = decodeURIComponent(path).split('/')
    if (root === 'simple' && !filename)
      return page(name, (headers.accept ?? '').includes(jsonType) && !htmlOnly, headers['if-none-match'])
    const file = projects.get(name)?.find((one) => filename === one.filename || filename === `${one.filename}.metadata`)
    if (root !== 'files' || !file) return { status: 404, body: 'Not found' }
    return { body: filename === file.filename ? file.content : file.metadata }
  }

  function page(name: string, isJson: boolean, known: string | undefined): RegistryAnswer {
    const files = projects.get(name)
    if (!files) return { status: 404, body: 'Not found' }
    const body = isJson ? jsonPage(name, files) : htmlPage(files)
    const etag = `"${sha256(body)}"`
    if (known === etag) return { status: 304, headers: { etag } }
    return { headers: { 'content-type': isJson ? jsonType : 'text/html', etag }, body }

    function jsonPage(project: string, all: File[]): string {
      const shown = all.map(({ filename, content, metadata, publishedAt, yanked, isAttested }) => ({
        filename,
        url: `../../files/${project}/${filename}`,
        hashes: { sha256: sha256(content) },
        'core-metadata': { sha256: sha256(metadata) },
        yanked: yanked ?? false,
        size: content.length,
        'upload-time': publishedAt,
        provenance: isAttested ? `${server.url}/integrity/${filename}` : null,
      }))
      return JSON.stringify({ meta: { 'api-version': '1.1' }, name: project, versions: [], files: shown })
    }

    function htmlPage(all: File[]): string {
      const links = all.map(({ filename, content, metadata, yanked }) => {
        const mark = yanked === undefined ? '' : ` data-yanked="${yanked}"`
        const href = `/files/${name}/${filename}#sha256=${sha256(content)}`
        return `<a href="${href}" data-dist-info-metadata="sha256=${sha256(metadata)}"${mark}>${filename}</a><br/>`
      })
      return `<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`
    }
  }

  return { ...server, indexUrl: `${server.url}/simple/`, publish, projects }
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}
