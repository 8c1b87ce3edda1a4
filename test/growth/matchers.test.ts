import { test } from 'node:test'
import { compileFilters } from '../../src/capabilities/automations/rules/evaluate.ts'
import { compileWildcard } from '../../src/capabilities/automations/rules/wildcard.ts'
import { csvLine } from '../../src/capabilities/exports/csv.ts'
import { bitsWanted, signaturesOf } from '../../src/capabilities/findings/word-index/signature.ts'
import { licenceIds } from '../../src/capabilities/inventory/recording/licence-ids.ts'
import { urlProblem } from '../../src/capabilities/package-managers/registry-url.ts'
import { modeForRule } from '../../src/capabilities/policies/mode-for-rule.ts'
import { readFilePath } from '../../src/capabilities/scans/reading/file-path.ts'
import { isIgnored, parseIgnoreFile } from '../../src/cli/scan/files/ignore-rules.ts'
import { compileWildcard as compileIgnored } from '../../src/cli/scan/files/wildmatch.ts'
import { parsePurl } from '../../src/ecosystems/purl.ts'
import { ecosystems } from '../../src/ecosystems/registry.ts'
import { affectedIntervals } from '../../src/ecosystems/version-range.ts'
import { withoutCredentials } from '../../src/formats/address.ts'
import { scoreVector } from '../../src/formats/cvss/score.ts'
import { readRecord } from '../../src/formats/osv/record.ts'
import { formats, usesName } from '../../src/formats/registry.ts'
import { createMask, maskQuoted, secretHint } from '../../src/formats/sarif/classify/secret.ts'
import { plainWeakness } from '../../src/formats/sarif/classify/weakness.ts'
import { parseJson } from '../../src/http/requests/json-body.ts'
import { contentEncodingOf } from '../../src/http/uploads/decompress.ts'
import { boundaryOf } from '../../src/http/uploads/multipart.ts'
import { takesCoding } from '../../src/kernel/contract/accept-encoding.ts'
import { matchesEtag } from '../../src/kernel/contract/if-none-match.ts'
import { slugOf } from '../../src/kernel/contract/schema.ts'
import { trimBoth, trimEnd } from '../../src/kernel/text/trim.ts'
import { readDateTime } from '../../src/kernel/time/date-time.ts'
import { secondsIn } from '../../src/outbound/client/retry-after.ts'
import { parseIntegrity } from '../../src/proxy/cache/digest.ts'
import { downloadAddress } from '../../src/proxy/cargo/download-address.ts'
import { cargoRoute } from '../../src/proxy/cargo/route.ts'
import { readSums } from '../../src/proxy/go/documents.ts'
import { goRoute } from '../../src/proxy/go/route.ts'
import { mavenRoute } from '../../src/proxy/maven/route.ts'
import { npmRoute } from '../../src/proxy/npm/route.ts'
import { versionOfFile } from '../../src/proxy/pypi/file-version.ts'
import { anchorsIn } from '../../src/proxy/pypi/html-anchors.ts'
import { pageTypeFor } from '../../src/proxy/pypi/page.ts'
import { pypiRoute } from '../../src/proxy/pypi/route.ts'
import { replacementIn } from '../../src/proxy/upstream/clients/cargo-client.ts'
import { fragments } from './fragments.ts'
import { assertNearLinear } from './measure.ts'

// Alone in its process: what others leave in memory would be in what is measured.

const size = 16 * 1024
const finding = { path: '', title: '', message: '', ruleId: '', cwes: [], vulnerabilityIds: [] }

/** What takes a text that somebody else chose. */
const matchers: Record<string, (text: string) => unknown> = {
  'a wildcard of an automation': wildcardOver('**/a*b?c/**/*.js*'),
  'a wildcard made to backtrack': wildcardOver(`${'*a'.repeat(200)}b`),
  'a condition of paths': (text) =>
    compileFilters({
      mode: 'MODE_ANY',
      conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_PATH', values: ['src/', '*.js', '**/test/*'] }],
    })({ ...subject, path: text }, occasion),
  'a rule of an ignore file': (text) => compileIgnored('**/a*[b-d]?/**/*.js')(text),
  'an ignore file': (text) => isIgnored([{ folder: '', rules: parseIgnoreFile(text) }], 'a/b.js', false),
  'a rule of a policy': (text) => modeForRule([{ rule: 'a.*', mode: 'block' } as never])(text),
  'a purl': parsePurl,
  'a licence': licenceIds,
  'a CVSS vector': scoreVector,
  'a weakness': plainWeakness,
  'the mask of a secret': (text) => createMask([text.slice(0, 500)], ['known'])(text),
  'a quoted secret': maskQuoted,
  'the hint of a secret': secretHint,
  'an address with credentials': withoutCredentials,
  'the path of a file': (text) => [
    readFilePath(text),
    formats.some((format) => usesName(format, text.slice(0, 1_000))),
  ],
  'the signature of a finding': (text) =>
    signaturesOf({ first: 1, last: 64 }, [{ ...finding, id: 1, path: text, message: text } as never]),
  'words to search for': (text) => bitsWanted({ pathPrefix: text, text, cwes: [], vulnerabilityIds: [] } as never),
  'a line of CSV': (text) => csvLine([text, [text]]),
  'the host of the malware firewall': (text) => urlProblem('REGISTRY_TYPE_MALWARE_FIREWALL', text),
  'the address of a registry': (text) => urlProblem('REGISTRY_TYPE_PUBLIC' as never, text),
  'a JSON body': (text) => parseJson(Buffer.from(text)),
  'the boundary of a form': (text) => boundaryOf(`multipart/form-data; ${text}`),
  'a content encoding': (text) => contentEncodingOf(text),
  'the codings that a client takes': (text) => takesCoding(text, 'br'),
  'a date and time': readDateTime,
  'the tags of an answer': (text) => matchesEtag(text, '"x"'),
  'a slug': slugOf,
  'what stands at the end': (text) => [trimEnd(`${text}x`, '/=-. '), trimBoth(`x${text}x`, '/=-. ')],
  'when to ask again': (text) => secondsIn(text, 0),
  'the integrity of a package': parseIntegrity,
  'a path of Maven': mavenRoute,
  'a path of Cargo': cargoRoute,
  'a path of Go': goRoute,
  'a record of a checksum database': (text) => {
    try {
      readSums(text, 'a.b/c', 'v1.0.0')
    } catch {}
  },
  'the address of a crate': (text) => downloadAddress(text, { name: 'a', version: '1.0.0', cksum: '' }),
  'the settings of Cargo': replacementIn,
  'a path of npm': npmRoute,
  'a path of a Python index': pypiRoute,
  'the name of a Python file': (text) => versionOfFile(`${text}.tar.gz`, 'a'),
  'the links of a page': anchorsIn,
  'the types that a client takes': pageTypeFor,
}

const subject = { path: '', repositories: undefined } as never as Parameters<ReturnType<typeof compileFilters>>[0]
const occasion = { ref: '' } as never as Parameters<ReturnType<typeof compileFilters>>[1]

function wildcardOver(pattern: string): (text: string) => boolean {
  return compileWildcard(pattern)
}

const makes = (fragment: string) => [
  (length: number) => fragment.repeat(Math.ceil(length / fragment.length)),
  (length: number) => `a${fragment.repeat(Math.ceil(length / fragment.length))}\u2028!`,
]

for (const [name, run] of Object.entries(matchers)) {
  test(`${name} is read in near-linear time`, () => {
    for (const fragment of fragments) for (const make of makes(fragment)) assertNearLinear(size, make, run)
  })
}

for (const ecosystem of Object.values(ecosystems)) {
  test(`versions and names of ${ecosystem.id} are read in near-linear time`, () => {
    for (const fragment of [
      '1',
      '0',
      '1.',
      '.',
      '-',
      '1-',
      'a',
      'a1',
      '1a',
      '+',
      '_',
      '!',
      'rc',
      '~',
      ' ',
      '0.0',
      'é',
    ]) {
      for (const make of makes(fragment)) {
        assertNearLinear(size, make, (text) => [ecosystem.orderKey(text), ecosystem.compare(`1.${text}`, text)])
        assertNearLinear(size, make, (text) => [ecosystem.normalizeName(text), ecosystem.nameToPurl(text)])
      }
    }
  })
}

test('the ranges of an advisory are read in near-linear time', () => {
  const events = (count: number) =>
    Array.from({ length: count }, (_, at) => (at % 2 === 0 ? { introduced: `${at}.0.0` } : { fixed: `${at}.0.0` }))
  const make = (count: number) => ({
    package: { ecosystem: 'npm', name: 'a' },
    ranges: [{ type: 'SEMVER', events: events(count) }],
    versions: Array.from({ length: count }, (_, at) => `${at}.1.0`),
  })
  const { npm } = ecosystems
  assertNearLinear(2_000, make, (affected) => affectedIntervals(npm, affected as never))
  assertNearLinear(2_000, make, (affected) =>
    readRecord({ id: 'A-1', modified: '2026-01-01T00:00:00Z', affected: [affected] }),
  )
})
