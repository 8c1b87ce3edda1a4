import { test } from 'node:test'
import { readMetadata, withoutVersions } from '../../src/proxy/maven/metadata.ts'
import { perform, type TaskName } from '../../src/proxy/threads/tasks.ts'
import { fragments } from './fragments.ts'
import { assertNearLinear } from './measure.ts'

// Alone in its process: what others leave in memory would be in what is measured.

const all = (count: number) => Array.from({ length: count }, (_, at) => `${at}.0.0`)

const packument = (count: number) =>
  JSON.stringify({
    name: 'a',
    'dist-tags': { latest: `${count - 1}.0.0` },
    versions: Object.fromEntries(
      all(count).map((version) => [
        version,
        { version, dist: { tarball: `https://r.example/a-${version}.tgz`, shasum: 'a'.repeat(40) } },
      ]),
    ),
    time: Object.fromEntries(all(count).map((version) => [version, '2026-01-01T00:00:00Z'])),
  })
const files = (count: number) =>
  JSON.stringify({
    meta: { 'api-version': '1.0' },
    name: 'a',
    files: all(count).map((version) => ({
      filename: `a-${version}.tar.gz`,
      url: `https://f.example/a-${version}.tar.gz`,
      hashes: { sha256: 'a'.repeat(64) },
    })),
  })
const page = (count: number) =>
  `<!DOCTYPE html><html><body>${all(count)
    .map((version) => `<a href="a-${version}.tar.gz#sha256=${'a'.repeat(64)}">a-${version}.tar.gz</a><br>`)
    .join('\n')}</body></html>`
const metadata = (count: number) =>
  `<metadata><versioning><latest>${count - 1}.0.0</latest><release>${count - 1}.0.0</release><versions>\n${all(count)
    .map((version) => `      <version>${version}</version>`)
    .join('\n')}\n</versions></versioning></metadata>`
const crateLine = (version: string) => `${JSON.stringify({ name: 'a', vers: version, cksum: 'a'.repeat(64) })}\n`
const crateIndex = (count: number) => all(count).map(crateLine).join('')
const moduleList = (count: number) =>
  all(count)
    .map((version) => `v${version}\n`)
    .join('')
const audit = (count: number) =>
  JSON.stringify(Object.fromEntries(all(count).map((version) => [`p${version}`, [version]])))

const html = { contentType: 'text/html', project: 'a', page: 'https://i.example/a/' }
const json = { ...html, contentType: 'application/vnd.pypi.simple.v1+json' }
const half = (count: number) => all(count).filter((_, at) => at % 2 === 1)

type Case = { task: TaskName; whole: (count: number) => string; given: (count: number) => unknown; heads: string[] }
const cases: Case[] = [
  {
    task: 'packument',
    whole: packument,
    given: () => ({ name: 'a' }),
    heads: ['{"name":"a","versions":{', '{"versions":{"1":{"dist":{"integrity":"'],
  },
  {
    task: 'rewrittenPackument',
    whole: packument,
    given: (count) => ({ name: 'a', base: 'https://g.example', abbreviated: true, refused: half(count) }),
    heads: ['{"versions":{'],
  },
  {
    task: 'partsOfPackument',
    whole: packument,
    given: () => ({ paths: [['versions', '1.0.0'], ['dist-tags']] }),
    heads: [],
  },
  { task: 'namesInAudit', whole: audit, given: () => ({}), heads: ['{"a":'] },
  {
    task: 'auditWithout',
    whole: audit,
    given: (count) => ({ names: half(count).map((version) => `p${version}`) }),
    heads: ['{"a":'],
  },
  { task: 'project', whole: files, given: () => json, heads: ['{"meta":{"api-version":"1.0"},"files":['] },
  {
    task: 'project',
    whole: page,
    given: () => html,
    heads: [
      '<!DOCTYPE html><html><body>',
      '<!DOCTYPE html><html><body><a href="',
      '<!DOCTYPE html><html><body><a href="x">',
    ],
  },
  {
    task: 'renderedProject',
    whole: page,
    given: (count) => ({
      ...html,
      base: 'https://g.example',
      form: 'html',
      refused: half(count).map((version) => [`a-${version}.tar.gz`, 'why']),
    }),
    heads: [],
  },
  {
    task: 'renderedProject',
    whole: files,
    given: (count) => ({
      ...json,
      base: 'https://g.example',
      form: 'json',
      refused: half(count).map((version) => [`a-${version}.tar.gz`, 'why']),
    }),
    heads: [],
  },
  {
    task: 'mavenMetadata',
    whole: metadata,
    given: () => ({}),
    heads: ['<metadata><versioning><versions>', '<metadata>'],
  },
  {
    task: 'mavenMetadataWithout',
    whole: metadata,
    given: (count) => ({ refused: half(count) }),
    heads: [
      '<metadata><versioning><versions><version>1.0.0</version></versions></versioning><a>',
      '<metadata><versioning><latest>1.0.0</latest><versions><version>1.0.0</version></versions><release>',
      '<metadata><versioning><versions><version>1.0.0</version><version>',
    ],
  },
  { task: 'crateIndex', whole: crateIndex, given: () => ({ name: 'a' }), heads: [crateLine('1.0.0'), ''] },
  {
    task: 'crateIndexYanked',
    whole: crateIndex,
    given: (count) => ({ name: 'a', refused: half(count) }),
    heads: [crateLine('1.0.0')],
  },
  { task: 'moduleVersions', whole: moduleList, given: () => ({}), heads: ['v1.0.0\n', ''] },
  {
    task: 'moduleVersionsWithout',
    whole: moduleList,
    given: (count) => ({ refused: half(count).map((version) => `v${version}`) }),
    heads: ['v1.0.0\n'],
  },
]

/** As the thread does it; what is left open is closed, so that the document is one as often as not. */
function run(task: TaskName, given: unknown): (body: Buffer) => void {
  const text = JSON.stringify(given)
  return (body) => {
    for (const _ of perform({ task, body, given: text }));
  }
}

const closings = [
  '',
  '</a></metadata>',
  '</release></versioning></metadata>',
  '</version></versions></versioning></metadata>',
  '</a></body></html>',
  '}}',
  ']}',
]

for (const { task, whole, given, heads } of cases) {
  test(`${task} takes near-linear time for ${whole.name}`, () => {
    assertNearLinear(
      2_000,
      (count) => ({ body: Buffer.from(whole(count)), more: given(count) }),
      ({ body, more }) => run(task, more)(body),
    )
  })

  test(`${task} takes near-linear time whatever is repeated in ${whole.name}`, () => {
    for (const head of heads) {
      for (const closing of task.startsWith('maven') ? closings.slice(0, 4) : closings.slice(4)) {
        for (const fragment of fragments) {
          const make = (length: number) =>
            Buffer.from(head + fragment.repeat(Math.ceil(length / fragment.length)) + closing)
          assertNearLinear(4 * 1024, make, run(task, given(3)))
        }
      }
    }
  })
}

test('versions are taken out of metadata of Maven in near-linear time', () => {
  const make = (count: number) => ({ read: readMetadata(Buffer.from(metadata(count))), refused: new Set(half(count)) })
  assertNearLinear(4_000, make, ({ read, refused }) => withoutVersions(read, refused))
})
