import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Receipt } from '../../capabilities/scans/contract.ts'
import { receiptTable } from './receipt-table.ts'

const none = { total: 0, raised: 0, reopened: 0, fixed: 0, inherited: 0, undetermined: 0, complete: true }
const receipt: Receipt = {
  scan: {
    id: 12,
    repositoryId: 3,
    repository: 'shop/checkout',
    kind: 'SCAN_KIND_FULL',
    ref: 'main',
    commit: '1f0c4b2a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
    pullRequest: 0,
    baseRef: '',
    tool: '',
    source: 'gatehouse',
    isInventory: true,
    fileCount: 2,
    dependencyCount: 1,
    findingCount: 0,
    problemCount: 102,
    raisedCount: 0,
    fixedCount: 0,
    blocked: false,
    performedAt: '2026-01-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
  },
  repeated: false,
  createdRepository: false,
  files: [
    {
      path: 'café/go.sum',
      status: 'FILE_STATUS_UNCHANGED',
      format: 'go-sum',
      bytes: 10,
      dependencies: 1,
      findings: none,
      statements: 0,
      keptPrevious: false,
      problems: [{ code: 'x', detail: 'Bad \u001b[2J \u202ename', line: 0, pointer: '/a', fatal: false }],
      problemCount: 101,
    },
    {
      path: 'x',
      status: 'FILE_STATUS_UNRECOGNISED',
      format: '',
      bytes: 10,
      dependencies: 0,
      findings: none,
      statements: 0,
      keptPrevious: true,
      problems: [{ code: 'y', detail: 'No format.', line: 3, pointer: '', fatal: true }],
      problemCount: 1,
    },
  ],
  part: '',
  fixedAdvisoryFindings: 0,
  removedPaths: ['old/yarn.lock'],
  pastFirewall: [],
  notCompared: [],
  openAdvisoryFindings: 0,
  repositoryArchived: false,
  advisoriesLoaded: true,
  blocked: false,
  blockedBy: [],
  blockedByRules: [],
  blockingFindings: [],
  blockingFindingCount: 0,
}

const table = `File         Format          Dependencies  Problems
café/go.sum  go-sum                     1       101
x            not recognised             0         1

Problems:
  café/go.sum /a: Bad \ufffd[2J \ufffdname
  café/go.sum: and 100 more
  x:3: No format.
  x: what an earlier scan read from it was kept
`

test('a receipt for people, without what moves a cursor', () => {
  assert.equal(
    receiptTable(receipt),
    `${table}
No longer there: old/yarn.lock

Scan 12 of shop/checkout at main (1f0c4b2a9d8e): 2 files, 1 dependency, 102 problems.
It is now the inventory of the repository.`,
  )
})

test('a receipt says what was looked at, and what counts as fixed', () => {
  const told = receiptTable({ ...receipt, part: 'services/a', fixedAdvisoryFindings: 1, openAdvisoryFindings: 1 })
  assert.ok(
    told.endsWith(`It is now the inventory of the repository.
Only services/a was looked at: what lies outside of it stays as it was.
1 finding about vulnerable or malicious packages counts as fixed.
1 finding about vulnerable or malicious packages is open.`),
    told,
  )
})

test('a receipt says what the repository is named by now', () => {
  assert.match(receiptTable(receipt, 'shop/old'), /\nshop\/old is named shop\/checkout now\.\n/)
})

test('a repeated receipt says so, and what advisories say by now', () => {
  assert.equal(
    receiptTable({ ...receipt, repeated: true, openAdvisoryFindings: 2 }),
    `${table}
Scan 12 of shop/checkout at main (1f0c4b2a9d8e): 2 files, 1 dependency, 102 problems.
The same was uploaded before.
2 findings about vulnerable or malicious packages are open.`,
  )
})

test('where no advisories are loaded, nobody takes dependencies for not vulnerable', () => {
  const notLoaded = { ...receipt, advisoriesLoaded: false }
  const { advisoriesLoaded: _, ...older } = receipt
  const sentence = /No advisories about vulnerabilities are loaded, so no dependency is known to be vulnerable or not\./
  assert.match(receiptTable(notLoaded), sentence)
  assert.doesNotMatch(receiptTable({ ...notLoaded, scan: { ...receipt.scan, dependencyCount: 0 } }), sentence)
  assert.doesNotMatch(receiptTable(older as Receipt), sentence)
})

test('of an archived repository it is said that nobody counts what is open in it', () => {
  const sentence = /The repository is archived, so the console does not count what is open in it\./
  assert.match(receiptTable({ ...receipt, repositoryArchived: true }), sentence)
  assert.doesNotMatch(receiptTable(receipt), sentence)
})

test('a scan of a change, without files', () => {
  const scan = { ...receipt.scan, commit: '', ref: 'fix', pullRequest: 7, isInventory: false, fileCount: 0 }
  assert.equal(
    receiptTable({ ...receipt, scan, files: [], removedPaths: [] }),
    `Scan 12 of shop/checkout at fix, pull request 7: 0 files, 1 dependency, 102 problems.
It was recorded; the inventory of the repository stays as it was.`,
  )
})

test('of a branch that is not the default one it is said whose inventory there is', () => {
  const scan = { ...receipt.scan, ref: 'trunk', isInventory: false }
  const said =
    /the inventory of the repository stays as it was: it is that of its default branch, by the latest scan\.$/m
  assert.match(receiptTable({ ...receipt, scan }), said)
  assert.doesNotMatch(receiptTable({ ...receipt, scan: { ...scan, dependencyCount: 0 } }), said)
})

test('findings, and who says that it must not go on', () => {
  const findings = { total: 12, raised: 3, reopened: 0, fixed: 1, inherited: 0, undetermined: 0, complete: true }
  const scan = {
    ...receipt.scan,
    isInventory: false,
    fileCount: 1,
    dependencyCount: 0,
    problemCount: 0,
    findingCount: 12,
  }
  const file = { ...receipt.files[0]!, path: 'a.sarif', format: 'sarif', dependencies: 0, findings, problems: [] }
  const blockedBy = [{ id: '4', name: 'No \u001b secrets' }]
  const files = [{ ...file, problemCount: 0 }]
  assert.equal(
    receiptTable({ ...receipt, scan, files, removedPaths: [], blocked: true, blockedBy, blockedByRules: ['sql'] }),
    `File     Format  Dependencies  Findings  New  Fixed  Problems
a.sarif  sarif              0        12    3      1         0

Scan 12 of shop/checkout at main (1f0c4b2a9d8e): 1 file, 0 dependencies, 12 findings, 0 problems.
It was recorded; the inventory of the repository stays as it was.

Blocked by the automation 'No \ufffd secrets'.
Blocked by the policy: rule 'sql'.`,
  )
})
