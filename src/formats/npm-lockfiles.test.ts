import assert from 'node:assert/strict'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join, sep } from 'node:path'
import { test } from 'node:test'
import { realData, withoutRealData } from '../../test/real-data.ts'
import { bunLock } from './bun-lock/reader.ts'
import type { Format } from './format.ts'
import { packageLock } from './package-lock/reader.ts'
import { pnpmLock } from './pnpm-lock/reader.ts'
import { yarnBerry } from './yarn-berry/reader.ts'
import { yarnV1 } from './yarn-v1/reader.ts'

const data = realData()

const formats: Format[] = [packageLock, yarnV1, yarnBerry, pnpmLock, bunLock]

/** Folders of the real data and the one format of what is in them; files of no format are named for it. */
const owners: [folder: RegExp, format: (file: string) => Format][] = [
  [/(npm-package-lock|packagelockjson|osv-detector-fixtures.npm)[/\\]/, () => packageLock],
  [/yarn-v1[/\\]/, () => yarnV1],
  [/yarn-berry[/\\]/, () => yarnBerry],
  [/(yarnlock|osv-detector-fixtures.yarn)[/\\]/, (file) => (file.includes('.v1.') ? yarnV1 : yarnBerry)],
  [/(pnpm-lock|pnpmlock|osv-detector-fixtures.pnpm)[/\\]/, () => pnpmLock],
  [/(bunlock|osv-detector-fixtures.bun)[/\\]/, () => bunLock],
]
const ofNoFormat = /[/\\](not-(json|yaml)\.txt|pnpm(lock)?[/\\]empty\.yaml|bun(lock)?[/\\]empty\.json5)$/

test('each document of the real data is recognised by its own format alone', {
  skip: data === undefined ? withoutRealData : false,
}, () => {
  let recognised = 0
  for (const folder of ['lockfiles', 'sbom', 'sarif', 'malicious']) {
    const root = join(data!, folder)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const owner = owners.find(([pattern]) => pattern.test(file.slice(root.length + sep.length)))?.[1](entry.name)
      const expected = owner && !ofNoFormat.test(file) ? [owner.id] : []
      const head = headOf(file)
      assert.deepEqual(
        formats.filter((format) => format.recognises(head, '')).map(({ id }) => id),
        expected,
        file,
      )
      recognised += expected.length
    }
  }
  assert.ok(recognised > 50)
})

function headOf(file: string): Uint8Array {
  const head = new Uint8Array(64 * 1024)
  const descriptor = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(descriptor, head))
  } finally {
    closeSync(descriptor)
  }
}
