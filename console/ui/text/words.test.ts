import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSearch, parseSearch } from '../../app/address/address.ts'
import { readFilter } from '../../app/address/filter.ts'
import { readAppearance } from '../../app/appearance.ts'
import { keyName } from '../../app/keyboard/keys.ts'
import {
  answerSentence,
  dependencyFilter,
  noneSentence,
  packageFilter,
  readQuestion,
  viewOf,
  viewsOf,
  writeQuestion,
} from '../../dependencies/question.ts'
import { change } from '../../firewall/words.ts'
import { blockingOf, verdictSentence } from '../../repositories/verdict.ts'
import { readSort, reserved, vulnerabilityFields, wireFilter, writeSort } from '../../vulnerabilities/filter.ts'
import { rangeSentences } from '../../vulnerabilities/ranges.ts'
import { moveTo, range } from '../lists/grid-keys.ts'
import { ago, lasting, median } from './time.ts'
import { count, label, list, noun, plural, wordOf } from './words.ts'

test('words of the API as people read them', () => {
  assert.equal(label(wordOf('TRIAGE_STATE_PROVISIONALLY_IGNORED')), 'Provisionally ignored')
  assert.equal(label(wordOf('PRODUCT_TYPE_SAST')), 'Code')
  assert.deepEqual(
    [
      plural(1, 'repository', 'repositories'),
      plural(1_200, 'repository', 'repositories'),
      noun(1, 'finding'),
      noun(0, 'finding'),
    ],
    ['1 repository', '1,200 repositories', 'finding', 'findings'],
  )
  assert.deepEqual([count(99_999), count(100_000)], ['99,999', '100K'])
  assert.equal(list(['a', 'b', 'c']), 'a, b and c')
})

test('time, relative and lasting', () => {
  const now = Date.parse('2026-06-10T12:00:00Z')
  const cases: [at: string, said: string][] = [
    ['2026-06-10T11:59:40Z', 'just now'],
    ['2026-06-10T11:00:00Z', '1 hr. ago'],
    ['2026-06-01T12:00:00Z', '9 days ago'],
    ['2026-06-13T12:00:00Z', 'in 3 days'],
    ['nonsense', ''],
  ]
  for (const [at, said] of cases) assert.equal(ago(at, now), said, at)
  assert.deepEqual([lasting(600), lasting(86_400), lasting(20 * 86_400)], ['10 min', '24 h', '20 d'])
  assert.deepEqual([median(2, 600, true), median(2, 0, false), median(0, 0, true)], ['10 min', 'not known', '–'])
})

test('keys move within the list and not beyond', () => {
  assert.equal(moveTo('j', 0, 3, 10), 1)
  assert.equal(moveTo('ArrowUp', 0, 3, 10), 0)
  assert.equal(moveTo('PageDown', 0, 100, 10), 10)
  assert.equal(moveTo('End', 0, 100, 10), 99)
  assert.equal(moveTo('j', 0, 0, 10), undefined)
  assert.equal(moveTo('q', 0, 3, 10), undefined)
  assert.deepEqual(
    range(['a', 'b', 'c', 'd'], (row) => row, 3, 1),
    ['b', 'c', 'd'],
  )
})

test('names of keys', () => {
  const key = (name: string, held = '') =>
    keyName({ key: name, ctrlKey: held.includes('c'), metaKey: false, altKey: false, shiftKey: held.includes('s') })
  assert.deepEqual(
    [key('k', 'c'), key('X', 's'), key('?', 's'), key('Enter', 's'), key('j')],
    ['Ctrl+k', 'Shift+x', '?', 'Shift+Enter', 'j'],
  )
})

test('a stored appearance is taken only as far as it makes sense', () => {
  assert.deepEqual(readAppearance('{"theme":"dark","density":"huge"}'), {
    theme: 'dark',
    density: 'normal',
    keys: 'on',
    rail: 'wide',
  })
  for (const broken of [null, '', '{', 'null', '[]', '7']) assert.equal(readAppearance(broken).theme, 'system')
})

test('the question about dependencies', () => {
  const asked = readQuestion([
    ['ecosystem', 'npm'],
    ['name', 'lodash'],
    ['below', '4.17.21'],
  ])
  assert.deepEqual(readQuestion(writeQuestion(asked)), asked)
  assert.deepEqual(dependencyFilter(asked), {
    packageFilters: [{ name: 'lodash', exactNameMatch: true, versionUpperBound: '<4.17.21' }],
    ecosystem: ['npm'],
  })
  assert.equal(
    answerSentence(asked, { repositories: 14, direct: 12, packages: 1, dependencies: 14, atLeast: false }),
    '14 repositories have lodash below 4.17.21, 12 directly.',
  )
  assert.equal(
    answerSentence(asked, { repositories: 14, direct: 12, packages: 1, dependencies: 14, atLeast: true }),
    'At least 14 repositories have lodash below 4.17.21, at least 12 directly.',
  )
  assert.deepEqual(packageFilter('@a/b@1.2.3'), { name: '@a/b', exactNameMatch: true, exactVersion: '1.2.3' })
  assert.deepEqual(packageFilter('@a/b'), { name: '@a/b', exactNameMatch: true })
})

test('the views, sort and filters of dependencies stand in the address', () => {
  const round = (text: string) => formatSearch(writeQuestion(readQuestion(parseSearch(text))))
  for (const address of [
    '',
    '?view=repositories',
    '?ecosystem=npm&name=a&view=packages',
    '?vulnerable=yes&sort=repositories',
  ]) {
    assert.equal(round(address), address)
  }
  assert.equal(round('?view=nowhere&sort=loud&name=a&view=x'), '?name=a')
  assert.equal(round('?sort=name-desc'), '?sort=name-desc')
  const views = ['', '?name=a', '?name=a&match=contains', '?package=a@1'].map(
    (text) => readQuestion(parseSearch(text)).view,
  )
  assert.deepEqual(views, ['packages', 'occurrences', 'packages', 'occurrences'])
  assert.equal(
    answerSentence(readQuestion([]), { repositories: 1, direct: 1, packages: 20, dependencies: 30, atLeast: false }),
    '1 repository has 30 dependencies on 20 packages.',
  )
})

test('a licence and a repository are said in the answer, and no view leaves out what it cannot answer', () => {
  const asked = (text: string) => readQuestion(parseSearch(text))
  const tally = { repositories: 1, direct: 1, packages: 2, dependencies: 3, atLeast: false }
  const both = asked('?ecosystem=npm&name=a&licence=MIT&repo=7')
  assert.equal(answerSentence(both, tally, 'shop/web'), 'shop/web has a under the licence MIT, directly.')
  assert.equal(noneSentence(both, 'shop/web'), 'shop/web does not have a under the licence MIT')
  assert.equal(answerSentence(asked('?repo=7'), tally, 'shop/web'), 'shop/web has 3 dependencies on 2 packages.')
  assert.equal(noneSentence(asked('?licence=NOASSERTION')), 'No repository has such dependencies without a licence')
  assert.equal(noneSentence(asked('?name=a&vulnerable=yes')), 'No repository has a in a version that advisories name')
  assert.deepEqual(viewsOf(both), ['packages', 'repositories', 'occurrences'])
  assert.deepEqual(viewsOf(asked('?name=a&vulnerable=yes')), ['packages'])
  assert.equal(viewOf(asked('?name=a&vulnerable=yes&view=repositories')), 'packages')
  assert.equal(viewOf(asked('?ecosystem=npm&name=a&repo=7&view=versions')), 'occurrences')
})

test('filters and sort of vulnerabilities stand in the address, dates as days', () => {
  const { filter, lost } = readFilter(
    vulnerabilityFields,
    parseSearch('?sev=high&ecosystem=npm&package=a&published=7d&text=x&sort=id&odd=1'),
    reserved,
  )
  assert.deepEqual(lost, [['odd', '1']])
  assert.deepEqual(wireFilter(filter, 'x', Date.parse('2026-02-10T12:00:00Z')), {
    severities: ['SEVERITY_HIGH'],
    ecosystems: ['npm'],
    package: 'a',
    text: 'x',
    publishedSince: '2026-02-03T00:00:00.000Z',
  })
  for (const sort of ['id-asc', 'published', 'repositories-asc']) assert.deepEqual(writeSort(readSort(sort)), [sort])
  assert.deepEqual([writeSort(readSort(undefined)), writeSort(readSort('loud'))], [[], []])
})

test('why a pull request is blocked', () => {
  const untold = { blockingFindings: [], blockingFindingCount: 0 }
  const receipt = { blocked: true, blockedBy: [{ name: 'Stop' }], blockedByRules: ['sqli'], ...untold }
  const findings = [
    { id: '1', ruleId: 'sqli', triageState: 'TRIAGE_STATE_OPEN' },
    { id: '2', ruleId: 'sqli', triageState: 'TRIAGE_STATE_FIXED' },
    { id: '3', ruleId: 'GHSA-1', triageState: 'TRIAGE_STATE_OPEN' },
    { id: '4', ruleId: 'GHSA-2', triageState: 'TRIAGE_STATE_OPEN' },
  ]
  assert.equal(
    verdictSentence(receipt, findings),
    'Blocked by 1 finding: rule sqli is in block mode and automation Stop.',
  )
  assert.equal(
    verdictSentence({ ...receipt, blockedBy: [] }, findings, '2026-05-03T08:00:00.000Z'),
    'Blocked by 1 finding: rule sqli is in block mode since 3 May 2026.',
  )
  assert.equal(verdictSentence({ ...receipt, blocked: false }, findings), 'Not blocked.')
  const because = ["the automation 'Stop' blocks it"]
  const byAutomation = { ...receipt, blockedByRules: [], blockingFindings: [{ id: '3', because }] }
  assert.equal(
    verdictSentence({ ...byAutomation, blockingFindingCount: 1 }, findings),
    'Blocked by 1 finding: automation Stop.',
  )
  const all = blockingOf({ ...receipt, blockingFindings: [{ id: '3', because }], blockingFindingCount: 4 }, findings)
  assert.deepEqual(
    [...all.reasons],
    [
      ['1', ["the policy blocks the rule 'sqli'"]],
      ['3', because],
    ],
  )
  assert.equal(all.untold, 1, 'what the receipt counts and does not tell of')
})

test('vulnerabilities and their ranges', () => {
  const event = (given: object) => ({ introduced: '', fixed: '', lastAffected: '', limit: '', ...given })
  assert.deepEqual(
    rangeSentences([event({ introduced: '1.0' }), event({ fixed: '1.2' }), event({ introduced: '2.0' })]),
    ['from 1.0 below 1.2', 'from 2.0 on'],
  )
  assert.deepEqual(rangeSentences([event({ introduced: '0' })]), ['every version'])
  assert.deepEqual(
    [change(3, 0), change(0, 0), change(15, 10), change(5, 10)],
    ['none before', 'as before', '50 % more than before', '50 % fewer than before'],
  )
})
