import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Ids, type Part, partsFor, wayTo } from './parts.ts'

const shown = (part: Part) => {
  const of = (name: string, ids: Ids | undefined) => (ids ? ` ${ids.among ? '' : 'not '}${name} ${ids.ids.join()}` : '')
  const what = of('repository', part.repositories) + of('rule', part.rules)
  return `${part.sign === 1 ? '+' : '-'} ${part.from}${what}${part.along ? ` along ${part.along}` : ''}`
}

test('the parts of a report, by what it is about', () => {
  const extent = { repositories: 4, rules: 10 }
  const cases: [number[] | undefined, number[] | undefined, string[]][] = [
    [undefined, undefined, ['+ counters']],
    [[], undefined, ['+ counters repository  along repositories']],
    [[1, 2], undefined, ['+ counters repository 1,2 along repositories']],
    [[1, 2, 3], undefined, ['+ counters', '- counters not repository 1,2,3 along repositories']],
    [undefined, [5], ['+ counters rule 5 along rules']],
    [[1], [5], ['+ findings repository 1 rule 5 along rules']],
    [[1], [5, 6, 7, 8, 9], ['+ findings repository 1 rule 5,6,7,8,9 along repositories']],
    [
      [1, 2, 3],
      [5, 6, 7, 8, 9],
      ['+ counters rule 5,6,7,8,9 along rules', '- findings not repository 1,2,3 rule 5,6,7,8,9 along repositories'],
    ],
    [
      [1, 2],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      [
        '+ counters repository 1,2 along repositories',
        '- findings repository 1,2 not rule 1,2,3,4,5,6,7,8,9 along rules',
      ],
    ],
  ]
  for (const [repositories, rules, expected] of cases) {
    const parts = partsFor({ repositories, rules, categories: undefined }, extent)
    assert.deepEqual(parts.map(shown), expected)
  }
})

test('with categories everything but the whole is read from the findings', () => {
  const extent = { repositories: 4, rules: 10 }
  const cases: [number[] | undefined, number[] | undefined, string[]][] = [
    [undefined, undefined, ['+ counters']],
    [[1], undefined, ['+ findings repository 1 along repositories']],
    [[1, 2, 3], undefined, ['+ counters', '- findings not repository 1,2,3 along repositories']],
    [undefined, [5], ['+ findings rule 5 along rules']],
    // All rules less the others would read as much again.
    [[1, 2], [1, 2, 3, 4, 5, 6, 7], ['+ findings repository 1,2 rule 1,2,3,4,5,6,7 along repositories']],
  ]
  for (const [repositories, rules, expected] of cases) {
    assert.deepEqual(partsFor({ repositories, rules, categories: [1] }, extent).map(shown), expected)
  }
})

const first = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('no report reads more than half of the findings, with categories two thirds', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(share, share, fc.constantFrom(undefined, [1]), (one, other, categories) => {
      const extent = { repositories: 200, rules: 60 }
      const wanted = { repositories: first(Math.round(one * 200)), rules: first(Math.round(other * 60)), categories }
      const parts = partsFor(wanted, extent).filter(({ from }) => from === 'findings')
      const read = parts.reduce((sum, part) => sum + part.share, 0)
      assert.ok(read <= (categories ? 2 / 3 : 1 / 2) + 0.02, `${read} by ${parts.map(shown)}`)
    }),
  )
})

test('many repositories are looked up one by one only where a period is long', () => {
  const extent = { repositories: 2000, rules: 9 }
  const [part] = partsFor({ repositories: first(300), rules: undefined, categories: undefined }, extent)
  const days = (count: number) => [{ since: new Date(0), until: new Date(count * 86_400_000) }]
  assert.equal(wayTo(part!, days(0.5)), 'time')
  assert.equal(wayTo(part!, days(2)), 'repository')
  const [whole] = partsFor({ repositories: undefined, rules: undefined, categories: undefined }, extent)
  assert.equal(wayTo(whole!, days(300)), 'time')
})

test('the parts add up to what is wanted, and counters never know two filters together', () => {
  const set = (most: number) => fc.option(fc.uniqueArray(fc.integer({ min: 1, max: most })), { nil: undefined })
  const categories = fc.constantFrom(undefined, [1])
  fc.assert(
    fc.property(set(8), set(6), categories, (repositories, rules, wanted) => {
      const parts = partsFor({ repositories, rules, categories: wanted }, { repositories: 8, rules: 6 })
      const has = (ids: Ids | undefined, id: number) => !ids || ids.ids.includes(id) === ids.among
      for (const part of parts) {
        const filters = [part.repositories, part.rules, wanted].filter((filter) => filter !== undefined)
        assert.ok(part.from === 'findings' || filters.length <= 1)
        assert.equal(part.along === undefined, !part.repositories && !part.rules)
      }
      for (let repository = 1; repository <= 8; repository++) {
        for (let rule = 1; rule <= 6; rule++) {
          const isWanted = (repositories?.includes(repository) ?? true) && (rules?.includes(rule) ?? true)
          const counted = parts.filter((part) => has(part.repositories, repository) && has(part.rules, rule))
          assert.equal(
            counted.reduce((sum, part) => sum + part.sign, 0),
            isWanted ? 1 : 0,
          )
        }
      }
    }),
  )
})
