import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInventory, withOrphansDirect } from './inventory.ts'
import { entryProblem } from './problem.ts'

test('the same name and version twice is one item: direct wins, and what is needed to run is not for developing', () => {
  const inventory = createInventory('npm')
  inventory.add({ name: 'a', version: '1', transitivity: 'TRANSITIVE', development: true, line: 3 })
  inventory.add({
    name: 'a',
    version: '1',
    transitivity: 'DIRECT',
    resolved: 'https://u:p@x.example/a',
    licence: 'MIT',
  })
  inventory.add({ name: 'a', version: '1', transitivity: 'TRANSITIVE' })
  const { items } = inventory.done()
  assert.deepEqual(items, [
    {
      key: 'a@1',
      ecosystem: 'npm',
      name: 'a',
      version: '1',
      transitivity: 'DIRECT',
      development: false,
      licence: 'MIT',
      resolved: 'https://x.example/a',
      dependsOn: [],
      line: 3,
    },
  ])
})

const refused: [what: string, name: string, version: string][] = [
  ['no name', '', '1'],
  ['a blank in the name', 'a b', '1'],
  ['a control character in the name', 'a\u0000', '1'],
  ['an over-long name', 'a'.repeat(501), '1'],
  ['a line break in the version', 'a', '1\n2'],
  ['an over-long version', 'a', '1'.repeat(201)],
]
for (const [what, name, version] of refused) {
  test(`refuses ${what}`, () => {
    const inventory = createInventory('pypi')
    assert.equal(inventory.add({ name, version, line: 7 }), undefined)
    const { items, problems } = inventory.done()
    assert.deepEqual(items, [])
    assert.deepEqual([problems[0]?.code, problems[0]?.line, problems[0]?.fatal], ['bad-entry', 7, false])
    assert.ok(problems[0]!.detail.length < 300)
  })
}

test('an address so mangled that a user may be left in it is not kept', () => {
  const inventory = createInventory('gem')
  inventory.add({ name: 'a', version: '1', resolved: 'htt//user:secret@x.example/a' })
  assert.equal(inventory.done().items[0]?.resolved, '')
})

test('an edge by name leads to every version that is there, once, and to nothing that is not', () => {
  const inventory = createInventory('pypi')
  const from = inventory.add({ name: 'from', version: '1' })!
  inventory.add({ name: 'To_Be', version: '1' })
  inventory.add({ name: 'to-be', version: '2' })
  for (const name of ['to.be', 'TO-BE', 'absent']) inventory.connectByName(from, name)
  const { items } = withOrphansDirect(inventory.done())
  assert.deepEqual(items[0]?.dependsOn, ['To_Be@1', 'to-be@2'])
  assert.deepEqual(
    items.map(({ transitivity }) => transitivity),
    ['DIRECT', 'UNKNOWN', 'UNKNOWN'],
  )
})

test('one that needs itself is still needed by nobody else', () => {
  const inventory = createInventory('cargo')
  const item = inventory.add({ name: 'a', version: '1' })!
  inventory.connect(item, item)
  assert.equal(withOrphansDirect(inventory.done()).items[0]?.transitivity, 'DIRECT')
})

test('problems without end are counted, not listed', () => {
  const inventory = createInventory('cargo')
  for (let at = 0; at < 1000; at++) inventory.problem(entryProblem('bad-line', 'x', at))
  const { problems } = inventory.done()
  assert.equal(problems.length, 201)
  assert.equal(problems.at(-1)?.code, 'more-problems')
  assert.match(problems.at(-1)!.detail, /800/)
})

test('versions of one package without end do not make edges without end', () => {
  const inventory = createInventory('cargo')
  const items = Array.from({ length: 2000 }, (_, at) => inventory.add({ name: 'a', version: String(at) })!)
  for (const item of items) inventory.connectByName(item, 'a')
  assert.ok(inventory.done().items.every(({ dependsOn }) => dependsOn.length <= 20))
})
