import type { ReleaseFacts } from '../../capabilities/firewall/rules/release-facts.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { type Digest, digestOf, strongest } from '../cache/digest.ts'
import { parsedJson } from '../parsed-json.ts'
import { versionOfFile } from './file-version.ts'
import { anchorsIn } from './html-anchors.ts'
import { projectFacts } from './release-facts.ts'

/** A project of a Python index: its files, and what is to be said of its versions. */
export type Project = { files: ReadonlyMap<string, ProjectFile>; facts: ReadonlyMap<string, ReleaseFacts> }

export type ProjectFile = {
  filename: string
  version: string
  url: string
  hashes: Record<string, string>
  digest: Digest | undefined
  requiresPython: string | undefined
  /** The reason; '' where none is given (PEP 592). */
  yanked: string | undefined
  /** Of its metadata, where that can be had and verified on its own (PEP 658, PEP 714). */
  metadata: Digest | undefined
  size: number | undefined
  uploadedAt: Date | undefined
  /** The index has attestations of where it comes from (PEP 740). */
  isAttested: boolean
}

const filenamePattern = /^[A-Za-z0-9][A-Za-z0-9._+!~-]{0,254}$/

/** What an index says of a project, as JSON (PEP 691) or HTML (PEP 503). Throws a Fault for what is neither. */
export function readProject(body: Buffer, contentType: string, project: string, page: string): Project {
  const isJson = /[/+]json\b/.test(contentType)
  const files = isJson ? filesInJson(body, project, page) : filesInHtml(body.toString('utf8'), project, page)
  return { files: new Map(files.map((file) => [file.filename, file])), facts: projectFacts(files) }
}

type Raw = { filename: string; url: string; hashes: Record<string, string> } & Partial<
  Pick<ProjectFile, 'requiresPython' | 'yanked' | 'metadata' | 'size' | 'uploadedAt' | 'isAttested'>
>

/** Files whose version cannot be told are left out: nothing can be said about them. */
function fileOf(raw: Raw, project: string, page: string): ProjectFile[] {
  const { filename, hashes, requiresPython, yanked, metadata, size, uploadedAt, isAttested = false } = raw
  const version = filenamePattern.test(filename) ? versionOfFile(filename, project) : undefined
  const url = URL.parse(raw.url, page)
  if (version === undefined || !url || !/^https?:$/.test(url.protocol)) return []
  const digest = strongest(Object.entries(hashes).map(([algorithm, hex]) => digestOf(algorithm, hex)))
  url.hash = ''
  const said = { hashes, digest, requiresPython, yanked, metadata, size, uploadedAt, isAttested }
  return [{ filename, version, url: url.href, ...said }]
}

function filesInJson(body: Buffer, project: string, page: string): ProjectFile[] {
  const parsed = parsedJson(body, `What the index sent for ${project}`, () => unreadable(project))
  const { files, meta } = (isObject(parsed) ? parsed : {}) as { files?: unknown; meta?: { 'api-version'?: unknown } }
  const version = String(meta?.['api-version'] ?? '')
  // PEP 691: a reader of version 1 must not guess at another major version.
  if (!Array.isArray(files) || !version.startsWith('1.')) throw unreadable(project)
  return files.filter(isObject).flatMap((file) => {
    if (typeof file.filename !== 'string' || typeof file.url !== 'string') return []
    const metadata = file['core-metadata'] ?? file['dist-info-metadata']
    const { yanked, size } = file
    const uploadedAt = typeof file['upload-time'] === 'string' ? new Date(file['upload-time']) : undefined
    return fileOf(
      {
        filename: file.filename,
        url: file.url,
        hashes: textsIn(file.hashes),
        requiresPython: typeof file['requires-python'] === 'string' ? file['requires-python'] : undefined,
        yanked: typeof yanked === 'string' ? yanked : yanked === true ? '' : undefined,
        metadata: strongest(Object.entries(textsIn(metadata)).map(([algorithm, hex]) => digestOf(algorithm, hex))),
        size: typeof size === 'number' && Number.isSafeInteger(size) ? size : undefined,
        uploadedAt: uploadedAt && !Number.isNaN(uploadedAt.getTime()) ? uploadedAt : undefined,
        isAttested: typeof file.provenance === 'string',
      },
      project,
      page,
    )
  })
}

function filesInHtml(text: string, project: string, page: string): ProjectFile[] {
  if (isCutOff(text)) throw unreadable(project)
  const anchors = anchorsIn(text)
  const files = anchors.flatMap(({ attributes, text: label }) => {
    const [url = '', fragment = ''] = (attributes.get('href') ?? '').split('#')
    const [, algorithm, hex] = /(?:^|&)(md5|sha1|sha224|sha256|sha384|sha512)=([0-9a-fA-F]+)/.exec(fragment) ?? []
    const [kind, metadata] = (
      attributes.get('data-core-metadata') ??
      attributes.get('data-dist-info-metadata') ??
      ''
    ).split('=')
    const raw = {
      filename: label || lastPart(url),
      url,
      hashes: algorithm && hex ? { [algorithm]: hex } : {},
      requiresPython: attributes.get('data-requires-python'),
      yanked: attributes.get('data-yanked'),
      metadata: kind && metadata ? digestOf(kind, metadata) : undefined,
      isAttested: attributes.has('data-provenance'),
    }
    return fileOf(raw, project, page)
  })
  // A page for people, such as one to sign in, has other links; only the whole tells them apart.
  if (files.length === 0 && (anchors.length > 0 || !isPage(text))) throw unreadable(project)
  return files
}

function isPage(text: string): boolean {
  return /^\ufeff?\s*<(!doctype|html)\b/i.test(text)
}

function isCutOff(text: string): boolean {
  return /<html\b/i.test(text) && !/<\/html\s*>/i.test(text)
}

function lastPart(url: string): string {
  try {
    return decodeURIComponent(url.split('?')[0]!.split('/').at(-1)!)
  } catch {
    return ''
  }
}

function textsIn(value: unknown): Record<string, string> {
  const entries = Object.entries(isObject(value) ? value : {})
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(project: string): Fault {
  return new Fault('bad_upstream', `What the index sent for ${project} is not a page of its files.`)
}
