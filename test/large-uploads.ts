import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

const mebibyte = 1024 * 1024

/** An upload that is made while it is sent, since the largest ones would not fit into the memory of a test. */
export type LargeUpload = { query: string; headers: Record<string, string>; body: () => Readable }

type Rows = (n: number) => string

/** A document of about so many bytes: what it begins with, rows, what it ends with. */
function* documentOf(bytes: number, head: string, row: Rows, tail: string, between = ','): Generator<Buffer> {
  yield Buffer.from(head)
  for (let sent = 0, n = 0; sent < bytes; ) {
    let text = ''
    while (text.length < 256 * 1024 && sent + text.length < bytes) text += `${n === 0 ? '' : between}${row(n++)}`
    sent += text.length
    yield Buffer.from(text)
  }
  yield Buffer.from(tail)
}

const words = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore. '

/** Each kind of document that an upload may be, of any size: few large entries, or many small ones. */
export const documents: Record<string, { path: string; content: (bytes: number) => Generator<Buffer> }> = {
  'SARIF, many results': {
    path: 'log.sarif',
    content: (bytes) =>
      documentOf(
        bytes,
        '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[',
        (n) =>
          `{"ruleId":"r${n % 50}","message":{"text":"finding ${n} ${words}"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/f${n % 5000}.ts"},"region":{"startLine":${n}}}}]}`,
        ']}]}',
      ),
  },
  'SARIF, long texts': {
    path: 'log.sarif',
    content: (bytes) =>
      documentOf(
        bytes,
        '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[',
        (n) =>
          `{"ruleId":"r","message":{"text":"${n} ${words.repeat(500)}"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"f${n}.ts"},"region":{"startLine":1,"snippet":{"text":"${words.repeat(500)}"}}}}]}`,
        ']}]}',
      ),
  },
  'CycloneDX, many components': {
    path: 'bom.json',
    content: (bytes) =>
      documentOf(
        bytes,
        '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":[',
        (n) =>
          `{"type":"library","bom-ref":"r${n}","name":"component-${n}","version":"1.${n}.0","purl":"pkg:npm/component-${n}@1.${n}.0","licenses":[{"license":{"id":"MIT"}}]}`,
        ']}',
      ),
  },
  'package-lock.json': {
    path: 'package-lock.json',
    content: (bytes) =>
      documentOf(
        bytes,
        '{"lockfileVersion":3,"packages":{"":{},',
        (n) =>
          `"node_modules/package-${n}":{"version":"1.${n}.0","resolved":"https://registry.npmjs.org/package-${n}/-/package-${n}-1.${n}.0.tgz","dependencies":{"package-${n + 1}":"^1.0.0"}}`,
        '}}',
      ),
  },
  'pnpm-lock.yaml': {
    path: 'pnpm-lock.yaml',
    content: (bytes) =>
      documentOf(
        bytes,
        "lockfileVersion: '9.0'\npackages:\n",
        (n) => `  package-${n}@1.${n}.0:\n    resolution: {integrity: sha512-${n}}\n    engines: {node: '>=18'}\n`,
        '',
        '',
      ),
  },
  'poetry.lock': {
    path: 'poetry.lock',
    content: (bytes) =>
      documentOf(
        bytes,
        '',
        (n) => `[[package]]\nname = "package-${n}"\nversion = "1.${n}.0"\noptional = false\nfiles = []\n\n`,
        '',
        '',
      ),
  },
  'CycloneDX as XML': {
    path: 'bom.xml',
    content: (bytes) =>
      documentOf(
        bytes,
        '<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.5" version="1"><components>',
        (n) =>
          `<component type="library"><name>component-${n}</name><version>1.${n}.0</version><purl>pkg:npm/component-${n}@1.${n}.0</purl></component>`,
        '</components></bom>',
        '',
      ),
  },
  'one text without end': {
    path: 'bom.json',
    content: (bytes) =>
      documentOf(
        bytes,
        '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":[{"type":"library","name":"',
        () => words.repeat(1000),
        '"}]}',
        '',
      ),
  },
}

export function asDocument(kind: string, repository: string, bytes: number): LargeUpload {
  const { path, content } = documents[kind]!
  return {
    query: `/raw?repository=${encodeURIComponent(repository)}&ref=main&path=${path}`,
    headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' },
    body: () => Readable.from(content(bytes)).pipe(createGzip({ level: 1 })),
  }
}

/** As many files as a form may have, together as large as it may be. */
export function asForm(repository: string, files: number, bytes: number): LargeUpload {
  const boundary = 'Boundary-large'
  const { content } = documents['package-lock.json']!
  function* form(): Generator<Buffer> {
    const scan = JSON.stringify({ repository, ref: 'main', createRepository: true })
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="scan"\r\n\r\n${scan}`)
    for (let n = 0; n < files; n++) {
      const name = `folder-${n}/package-lock.json`
      yield Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`)
      yield* content(bytes / files)
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  return {
    query: '',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-encoding': 'gzip' },
    body: () => Readable.from(form()).pipe(createGzip({ level: 1 })),
  }
}

/** Unpacks to a thousand times what is sent. */
export function asBomb(repository: string): LargeUpload {
  function* nothing(): Generator<Buffer> {
    const zeros = Buffer.alloc(mebibyte)
    for (let n = 0; n < 4_096; n++) yield zeros
  }
  return {
    query: `/raw?repository=${encodeURIComponent(repository)}&ref=main&path=bom.json`,
    headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' },
    body: () => Readable.from(nothing()).pipe(createGzip()),
  }
}
