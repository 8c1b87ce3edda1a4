import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Ids, type Part, partsFor } from './parts.ts'

/** From counters or whose sheets. */
const shown = (part: Part) => {
  const of = (name: string, ids: Ids | undefined) => (ids ? ` ${ids.among ? '' : 'not '}${name} ${ids.ids.join()}` : '')
  const what = of('repository', part.repositories) + of('rule', part.rules)
  return `${part.sign === 1 ? '+' : '-'} ${part.from}${what} by ${part.by}`
}

test('the parts of a report, by what it is about', () => {
  const extent = { repositories: 4, rules: 10 }
  const cases: [number[] | undefined, number[] | undefined, string[]][] = [
    [undefined, undefined, ['+ counters by time']],
    [[], undefined, ['+ counters repository  by repository']],
    [[1, 2], undefined, ['+ counters repository 1,2 by repository']],
    [[1, 2, 3], undefined, ['+ counters by time', '- counters not repository 1,2,3 by repository']],
    [undefined, [5], ['+ counters rule 5 by rule']],
    [[1], [5], ['+ rules repository 1 rule 5 by rule']],
    [[1], [5, 6, 7, 8, 9], ['+ repositories repository 1 rule 5,6,7,8,9 by repository']],
    [
      [1, 2, 3],
      [5, 6, 7, 8, 9],
      ['+ counters rule 5,6,7,8,9 by rule', '- repositories not repository 1,2,3 rule 5,6,7,8,9 by repository'],
    ],
    [
      [1, 2],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      ['+ counters repository 1,2 by repository', '- rules repository 1,2 not rule 1,2,3,4,5,6,7,8,9 by rule'],
    ],
  ]
  for (const [repositories, rules, expected] of cases) {
    const parts = partsFor({ repositories, rules, categories: undefined }, extent)
    assert.deepEqual(parts.map(shown), expected)
  }
})

test('with categories everything but the whole is on sheets', () => {
  const extent = { repositories: 4, rules: 10 }
  const cases: [number[] | undefined, number[] | undefined, string[]][] = [
    [undefined, undefined, ['+ counters by time']],
    [[1], undefined, ['+ repositories repository 1 by repository']],
    [[1, 2, 3], undefined, ['+ counters by time', '- repositories not repository 1,2,3 by repository']],
    [undefined, [5], ['+ rules rule 5 by rule']],
    // All rules less the others would be half of the sheets as well.
    [[1, 2], [1, 2, 3, 4, 5, 6, 7], ['+ repositories repository 1,2 rule 1,2,3,4,5,6,7 by repository']],
  ]
  for (const [repositories, rules, expected] of cases) {
    assert.deepEqual(partsFor({ repositories, rules, categories: [1] }, extent).map(shown), expected)
  }
})

test('of the same share, those with fewer sheets are read', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
  const choose = (repositories: number, rules: number) =>
    partsFor(
      { repositories: ids(repositories / 2), rules: ids(rules / 2), categories: undefined },
      { repositories, rules },
    )
  assert.deepEqual(choose(2000, 500)[0]!.from, 'rules')
  assert.deepEqual(choose(500, 2000)[0]!.from, 'repositories')
})

test('many repositories are not looked up one by one for the ends of a period', () => {
  const ids = Array.from({ length: 300 }, (_, at) => at + 1)
  const parts = partsFor(
    { repositories: ids, rules: undefined, categories: undefined },
    { repositories: 2000, rules: 9 },
  )
  assert.deepEqual(
    parts.map((part) => part.by),
    ['time'],
  )
})

test('the parts add up to what is wanted, and counters never know rules and repositories together', () => {
  const set = (most: number) => fc.option(fc.uniqueArray(fc.integer({ min: 1, max: most })), { nil: undefined })
  const categories = fc.constantFrom(undefined, [1])
  fc.assert(
    fc.property(set(8), set(6), categories, (repositories, rules, wanted) => {
      const parts = partsFor({ repositories, rules, categories: wanted }, { repositories: 8, rules: 6 })
      const has = (ids: Ids | undefined, id: number) => !ids || ids.ids.includes(id) === ids.among
      for (const part of parts) {
        if (part.from !== 'counters') assert.ok(part[part.from])
        else assert.ok(wanted ? !(part.repositories || part.rules) : !(part.repositories && part.rules))
        // Sheets are read by one, and of the other only these.
        if (part.from === 'repositories') assert.notEqual(part.rules?.among, false)
        if (part.from === 'rules') assert.notEqual(part.repositories?.among, false)
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
