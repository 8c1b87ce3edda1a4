import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Ids, type Part, partsFor } from './parts.ts'

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
    [[1], [5], ['+ findings repository 1 rule 5 by rule']],
    [[1], [5, 6, 7, 8, 9], ['+ findings repository 1 rule 5,6,7,8,9 by repository']],
    // A little more by rule is still cheaper.
    [[1], [5, 6, 7, 8], ['+ findings repository 1 rule 5,6,7,8 by rule']],
    [
      [1, 2, 3],
      [5, 6, 7, 8, 9],
      ['+ counters rule 5,6,7,8,9 by rule', '- findings not repository 1,2,3 rule 5,6,7,8,9 by repository'],
    ],
    [
      [1, 2],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      ['+ counters repository 1,2 by repository', '- findings repository 1,2 not rule 1,2,3,4,5,6,7,8,9 by rule'],
    ],
  ]
  for (const [repositories, rules, expected] of cases) {
    const parts = partsFor({ repositories, rules, categories: undefined }, extent)
    assert.deepEqual(parts.map(shown), expected)
  }
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
  fc.assert(
    fc.property(set(8), set(6), (repositories, rules) => {
      const parts = partsFor({ repositories, rules, categories: undefined }, { repositories: 8, rules: 6 })
      const has = (ids: Ids | undefined, id: number) => !ids || ids.ids.includes(id) === ids.among
      for (const part of parts) assert.ok(part.from !== 'counters' || !(part.repositories && part.rules))
      for (let repository = 1; repository <= 8; repository++) {
        for (let rule = 1; rule <= 6; rule++) {
          const wanted = (repositories?.includes(repository) ?? true) && (rules?.includes(rule) ?? true)
          const counted = parts.filter((part) => has(part.repositories, repository) && has(part.rules, rule))
          assert.equal(
            counted.reduce((sum, part) => sum + part.sign, 0),
            wanted ? 1 : 0,
          )
        }
      }
    }),
  )
})
