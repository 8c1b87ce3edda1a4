import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchLines } from './patch-lines.ts'
import { isAddressable } from './repository-address.ts'

const patches: [patch: string, lines: [line: number, oldLine: number | undefined][]][] = [
  ['', []],
  [
    '@@ -1,3 +1,4 @@ function a()\n one\n+two\n three\n-four\n+five',
    [
      [1, 1],
      [2, undefined],
      [3, 2],
      [4, undefined],
    ],
  ],
  ['@@ -0,0 +1 @@\n+only\n\\ No newline at end of file', [[1, undefined]]],
  [
    '@@ -10 +12 @@\n-a\n+b\n@@ -20,2 +30,2 @@\n c\n+@@ -1 +1 @@',
    [
      [12, undefined],
      [30, 20],
      [31, undefined],
    ],
  ],
  ['Binary files differ', []],
]

test('the lines that a diff shows on its new side', () => {
  for (const [patch, lines] of patches) {
    assert.deepEqual(
      [...patchLines(patch).values()].map(({ line, oldLine }) => [line, oldLine]),
      lines,
      patch,
    )
  }
})

const names: [name: string, github: boolean, gitlab: boolean][] = [
  ['acme/web', true, true],
  ['acme/.github', true, true],
  ['acme/a.b_c-d', true, true],
  ['acme/platform/web', false, true],
  ['web', false, false],
  ['acme/..', false, false],
  ['acme/.', false, false],
  ['../web', false, false],
  ['acme/web shop', false, false],
  ['acme//web', false, false],
  ['acme/web?x', false, false],
]

test('only names that a code host gives become part of an address', () => {
  for (const [name, github, gitlab] of names) {
    assert.deepEqual([isAddressable('github', name), isAddressable('gitlab', name)], [github, gitlab], name)
  }
})
