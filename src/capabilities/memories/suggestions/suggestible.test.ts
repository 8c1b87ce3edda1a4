import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsWithin } from '../../../../test/turns.ts'
import { type IgnoredFinding, suggestible } from './suggestible.ts'

let id = 0
const by = (personId: number, path: string, rule = 'rule', reason = 1): IgnoredFinding => {
  id++
  return {
    id,
    rule,
    reason,
    path,
    personId,
    email: `${personId}@example.com`,
    note: `note ${id}`,
    at: new Date(id * 1_000),
  }
}

const byPath = (some: IgnoredFinding[]) => some.toSorted((a, b) => (a.path < b.path ? -1 : 1))

const rows: [what: string, ignored: IgnoredFinding[], expected: string[]][] = [
  ['nobody', [], []],
  ['one person, many times', [by(1, 'src/a.js'), by(1, 'src/b.js'), by(1, 'src/c.js')], []],
  ['two people in one folder', [by(1, 'src/a.js'), by(2, 'src/b.js')], ['rule 1 src (2)']],
  ['two people in one file', [by(1, 'src/a.js'), by(2, 'src/a.js')], ['rule 1 src (2)']],
  ['two people in one file at the top', [by(1, 'setup.py'), by(2, 'setup.py')], ['rule 1 setup.py (2)']],
  ['two people in two files at the top', [by(1, 'setup.py'), by(2, 'conf.py')], []],
  ['two people in folders of one folder', [by(1, 'src/a/x.js'), by(2, 'src/b/y.js')], ['rule 1 src (2)']],
  ['two people in folders that share nothing', [by(1, 'src/a.js'), by(2, 'lib/b.js')], []],
  ['the deepest folder', [by(1, 'a/b/x.js'), by(2, 'a/b/y.js'), by(3, 'a/z.js')], ['rule 1 a/b (2)']],
  [
    'two folders of their own',
    [by(1, 'a/b/x.js'), by(2, 'a/b/y.js'), by(1, 'a/c/x.js'), by(3, 'a/c/y.js')],
    ['rule 1 a/b (2)', 'rule 1 a/c (2)'],
  ],
  ['three people', [by(1, 'src/a.js'), by(2, 'src/b.js'), by(3, 'src/c.js')], ['rule 1 src (3)']],
  ['different reasons', [by(1, 'src/a.js', 'rule', 1), by(2, 'src/b.js', 'rule', 2)], []],
  ['different rules', [by(1, 'src/a.js', 'one'), by(2, 'src/b.js', 'two')], []],
  ['no reason', [by(1, 'src/a.js', 'rule', 0), by(2, 'src/b.js', 'rule', 0)], []],
  ['no rule', [by(1, 'src/a.js', ''), by(2, 'src/b.js', '')], []],
  ['no path', [by(1, ''), by(2, '')], []],
  ['absolute paths', [by(1, '/src/a.js'), by(2, '/src/b.js')], ['rule 1 /src (2)']],
  ['relative paths', [by(1, '../a.js'), by(2, '../b.js')], []],
  ['a name that begins like another', [by(1, 'src/a.js'), by(2, 'src-b/a.js'), by(2, 'src.js')], []],
  ['one person between two', [by(1, 'a/b/x.js'), by(1, 'a/c/x.js'), by(2, 'a/d/x.js')], ['rule 1 a (2)']],
  [
    'a folder in one of two',
    [by(1, 'a/x.js'), by(2, 'a/y.js'), by(1, 'b/c/x.js'), by(2, 'b/c/y.js'), by(3, 'b/d/z.js')],
    ['rule 1 a (2)', 'rule 1 b/c (2)'],
  ],
]

for (const [what, ignored, expected] of rows) {
  test(`suggested from: ${what}`, async () => {
    const found = (await suggestible(byPath(ignored))).map(
      (one) => `${one.rule} ${one.reason} ${one.pathPrefix} (${one.people})`,
    )
    assert.deepEqual(found.sort(), expected)
  })
}

test('the latest word of each person is a source, the latest first', async () => {
  const [one, two, three] = [by(1, 'src/a.js'), by(2, 'src/b.js'), by(1, 'src/c.js')]
  const [suggestion] = await suggestible([one, two, three])
  assert.deepEqual(suggestion!.sources, [
    {
      note: three.note,
      createdBy: '1@example.com',
      createdAt: three.at.toISOString(),
      sampleIssueId: String(three.id),
      prCommentUrl: '',
      reviewCommentId: '',
    },
    {
      note: two.note,
      createdBy: '2@example.com',
      createdAt: two.at.toISOString(),
      sampleIssueId: String(two.id),
      prCommentUrl: '',
      reviewCommentId: '',
    },
  ])
})

test('no more sources than a memory holds, however many people agree', async () => {
  const all = Array.from({ length: 30 }, (_, at) => by(at + 1, `src/${at}.js`))
  const [suggestion] = await suggestible(byPath(all))
  assert.deepEqual([suggestion!.people, suggestion!.sources.length], [30, 20])
})

test('deep folders hold up nobody', async () => {
  const path = (at: number) => `${'a/'.repeat(490)}${at}.js`
  const deep = Array.from({ length: 1_000 }, (_, at) => by(at % 3, path(at)))
  const ordered = byPath(deep)
  const { longestMs, totalMs, result } = await turnsWithin(200, () => suggestible(ordered))
  assert.deepEqual([result.length, result[0]!.people], [1, 3])
  assert.ok(longestMs < 200, `${longestMs} ms of the processor at once`)
  // A few nanoseconds for each character, not for each character of each folder above it.
  assert.ok(totalMs < 700, `${totalMs} ms of the processor in all`)
})
