import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ecosystems,
  type Question,
  readQuestion,
  type View,
  views,
  writeQuestion,
} from '../../dependencies/question.ts'
import { findingFields, reserved as findingWords } from '../../findings/filter.ts'
import { outcomeWords, refusalFields, refusalFilter, ruleWords } from '../../firewall/refusals/refusal-filter.ts'
import * as issues from '../../issues/filter.ts'
import * as repositories from '../../repositories/filter.ts'
import { scanFields } from '../../scans/filter.ts'
import * as vulnerabilities from '../../vulnerabilities/filter.ts'
import { formatSearch, type Pair, parseSearch } from './address.ts'
import { type Field, type Filter, readFilter, writeFilter } from './filter.ts'
import { type PeriodName, periodPairs, periods, periodWords, readPeriod } from './period.ts'

const moment = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const text = fc.string({ minLength: 1, unit: 'grapheme' })

function anyValue(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'words':
      return fc.subarray(
        field.values.map((value) => value.wire),
        { minLength: 1 },
      )
    case 'choice':
      return fc.constantFrom(...field.values.map((value) => value.wire))
    case 'texts':
      if (field.fits) return fc.uniqueArray(fc.stringMatching(field.fits), { minLength: 1 })
      return fc.uniqueArray(field.blank ? fc.string({ unit: 'grapheme' }) : text, { minLength: 1 })
    case 'package':
      return fc.record(
        { name: text, ecosystem: fc.constantFrom('', 'npm', 'maven', 'pypi') },
        { requiredKeys: ['name'], noNullPrototype: true },
      )
    case 'text':
      return text
    case 'number':
      return fc.integer({ min: 1, max: 2_147_483_647 })
    case 'flag':
      return fc.boolean()
    case 'moment':
      return moment
    case 'period':
      return fc
        .oneof(fc.record({ since: moment, until: moment }), fc.record({ since: moment }), fc.record({ until: moment }))
        .map((period) => ({ ...period }))
  }
}

const lists: Record<string, { fields: readonly Field[]; reserved: readonly string[] }> = {
  findings: { fields: findingFields, reserved: findingWords },
  issues: { fields: issues.issueFields, reserved: issues.reserved },
  repositories: { fields: repositories.repositoryFields, reserved: repositories.reserved },
  scans: { fields: scanFields, reserved: [] },
  vulnerabilities: { fields: vulnerabilities.vulnerabilityFields, reserved: vulnerabilities.reserved },
}

for (const [page, { fields, reserved }] of Object.entries(lists)) {
  test(`filter → address → filter for ${page}, whatever is asked, and no two fields share a name`, () => {
    const names = [...fields.map((field) => field.key), ...reserved]
    assert.equal(new Set(names).size, names.length)
    const filters: fc.Arbitrary<Filter> = fc.record(
      Object.fromEntries(fields.map((field) => [field.wire, anyValue(field)])),
      { requiredKeys: [], noNullPrototype: true },
    )
    fc.assert(
      fc.property(filters, (filter) => {
        const address = formatSearch(writeFilter(fields, filter))
        assert.deepEqual(readFilter(fields, parseSearch(address), reserved), { filter, lost: [] })
      }),
    )
  })
}

test('sort → address → sort for issues, repositories and vulnerabilities', () => {
  for (const direction of ['asc', 'desc'] as const) {
    for (const by of ['severity', 'repositories', 'findings', 'published', 'id'] as const)
      assert.deepEqual(vulnerabilities.readSort(vulnerabilities.writeSort({ by, direction })[0]), { by, direction })
    for (const by of ['createdAt', 'lastDetectedAt', 'severity'] as const)
      assert.deepEqual(issues.readSort(issues.writeSort({ by, direction })[0]), { by, direction })
    for (const by of ['name', 'severity', 'open', 'dependencies', 'lastScan', 'blocked'] as const)
      assert.deepEqual(repositories.readSort(repositories.writeSort({ by, direction })[0]), { by, direction })
  }
})

test('question → address → question for dependencies', () => {
  const word = fc.oneof(fc.constant(''), text)
  const fields = {
    ecosystem: fc.constantFrom('', ...ecosystems),
    name: word,
    exact: fc.boolean(),
    from: word,
    below: word,
    transitivity: fc.constantFrom('', 'direct', 'transitive', 'unknown'),
    licence: word,
    repository: word,
    archived: fc.boolean(),
    packages: fc.array(text),
    vulnerable: fc.boolean(),
    view: fc.constantFrom(...(Object.keys(views) as View[])),
    sort: fc.record(
      {
        by: fc.constantFrom('name' as const, 'repositories' as const, 'dependencies' as const),
        direction: fc.constantFrom('asc' as const, 'desc' as const),
      },
      { noNullPrototype: true },
    ),
  }
  const questions: fc.Arbitrary<Question> = fc.record(fields, { noNullPrototype: true })
  fc.assert(
    fc.property(questions, (question) => {
      assert.deepEqual(readQuestion(parseSearch(formatSearch(writeQuestion(question)))), question)
    }),
  )
})

test('period → address → period for the overview, reports and the firewall', () => {
  const now = new Date('2026-05-17T13:00:00Z')
  for (const name of Object.keys(periods) as PeriodName[]) {
    const address = formatSearch(periodWords(name).map((word) => ['period', word]))
    assert.equal(readPeriod(parseSearch(address), now).name, name)
    assert.equal(formatSearch(periodPairs(readPeriod(parseSearch(address), now))), address)
  }
  fc.assert(
    fc.property(moment, moment, (since, until) => {
      const pairs = parseSearch(
        formatSearch([
          ['since', since],
          ['until', until],
        ]),
      )
      const period = readPeriod(pairs, now)
      assert.deepEqual(period, { name: undefined, since, until })
      assert.deepEqual(periodPairs(period), pairs)
    }),
  )
})

test('filter → address → filter for what the firewall refused', () => {
  const number = fc.integer({ min: 1, max: 1_000_000 })
  const word = text.filter((each) => each.trim() === each && each.length < 400)
  const filters = fc.record(
    {
      package: word,
      version: word,
      ecosystem: fc.constantFrom(...ecosystems),
      rule: fc.constantFrom(...Object.keys(ruleWords)),
      outcome: fc.constantFrom(...Object.keys(outcomeWords)),
      person: number.map(String),
      token: number.map(String),
      advisory: word,
    } satisfies Record<(typeof refusalFields)[number], fc.Arbitrary<string>>,
    { requiredKeys: [], noNullPrototype: true },
  )
  fc.assert(
    fc.property(filters, (given) => {
      const pairs = refusalFields.flatMap((field): Pair[] =>
        given[field] === undefined ? [] : [[field, given[field]]],
      )
      const { filter, isNarrow } = refusalFilter(parseSearch(formatSearch(pairs)), readPeriod([], new Date()))
      assert.equal(isNarrow, pairs.length > 0)
      const { package: name, version, ecosystems: those, rules, watched, personIds, tokenIds, advisoryId } = filter
      const outcome = watched === undefined ? undefined : watched ? 'watched' : 'refused'
      assert.deepEqual(
        [
          name,
          version,
          those?.[0],
          rules?.[0],
          outcome,
          personIds?.[0]?.toString(),
          tokenIds?.[0]?.toString(),
          advisoryId,
        ],
        refusalFields.map((field) => given[field]),
      )
    }),
  )
})
