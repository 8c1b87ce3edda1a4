import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { openHouse, type TestHouse } from '../../../test/house.ts'
import { sendLog } from '../findings/test-findings.ts'
import { openMemories } from './test-memories.ts'

let house: TestHouse
let memories: ReturnType<typeof openMemories>
before(async () => {
  house = await openHouse()
  memories = openMemories(house)
})
after(() => house.close())

const paths = ['a/1.js', 'a/2.js', 'b/1.js', 'b/c/2.js', 'top.js']
const rules = ['one', 'two']
const prefixes = [[], ['a'], ['b'], ['b/c', 'top.js']]

type Action =
  | { do: 'scan'; repository: number; seen: number; suppressed: number }
  | { do: 'triage'; repository: number; finding: number; state: string }
  | { do: 'create' | 'change'; memory: number; scope: number; rule: string; paths: number; live: boolean }
  | { do: 'delete' | 'promote'; memory: number }
  | { do: 'tag'; repository: number; tagged: boolean }

const repository = fc.nat(1)
const bits = fc.nat(2 ** (paths.length * rules.length) - 1)
const memory = fc.nat(5)
const actions = fc.array(
  fc.oneof<fc.Arbitrary<Action>[]>(
    fc.record({ do: fc.constant('scan'), repository, seen: bits, suppressed: bits }),
    fc.record({
      do: fc.constant('triage'),
      repository,
      finding: fc.nat(20),
      state: fc.constantFrom('OPEN', 'REVIEWING', 'IGNORED', 'PROVISIONALLY_IGNORED', 'FIXED'),
    }),
    fc.record({
      do: fc.constantFrom('create', 'create', 'change'),
      memory,
      scope: fc.nat(3),
      rule: fc.constantFrom('', ...rules),
      paths: fc.nat(prefixes.length - 1),
      live: fc.boolean(),
    }),
    fc.record({ do: fc.constantFrom('delete', 'promote'), memory }),
    fc.record({ do: fc.constant('tag'), repository, tagged: fc.boolean() }),
  ),
  { minLength: 5, maxLength: 25 },
)

type Remembered = {
  id: string
  stage: 'live' | 'suggested' | 'deleted'
  scope: number
  rule: string
  paths: number
  since: number
}
type World = {
  names: string[]
  ids: string[]
  tagged: boolean[]
  signs: Map<string, boolean>[]
  memories: Remembered[]
  clock: number
}

/** Who should hold a finding, told plainly. */
function holder(world: World, at: number, finding: { path: string; rule: string }): string {
  const covers = (one: Remembered) =>
    one.stage === 'live' &&
    (one.rule === '' || one.rule === finding.rule) &&
    (one.scope === 3 || (one.scope === 2 ? world.tagged[at] : one.scope === at)) &&
    (one.paths === 0 || prefixes[one.paths]!.some((prefix) => `${finding.path}/`.startsWith(`${prefix}/`)))
  return world.memories.filter(covers).sort((a, b) => a.since - b.since)[0]?.id ?? '0'
}

let runs = 0

async function play(plan: readonly Action[]): Promise<void> {
  const run = ++runs
  const tag = `tag-${run}`
  const names = [`model/${run}-0`, `model/${run}-1`]
  const ids = [await memories.addRepository(names[0]!, [tag]), await memories.addRepository(names[1]!, [])]
  const tagId = await memories.tagId(tag)
  const rule = (name: string) => name && `${name}-${run}`
  const scopes = [{ repositoryId: ids[0] }, { repositoryId: ids[1] }, { projectTagId: tagId }, {}]
  const world: World = {
    names,
    ids,
    tagged: [true, false],
    signs: [new Map(), new Map()],
    memories: [],
    clock: 0,
  }
  // A rule of this run only, so that runs leave each other alone.
  const fields = (one: { scope: number; rule: string; paths: number }) => {
    const wide = one.rule === '' && (one.scope === 3 || one.paths === 0)
    const named = wide ? rules[0]! : one.rule
    const said = { ruleId: rule(named), pathPrefixes: prefixes[one.paths] }
    return { named, body: { repositoryId: '', projectTagId: 0, ...scopes[one.scope], ...said } }
  }
  for (const action of plan) {
    await act(world, action, { rule, fields, tag })
    await check(world, run)
  }
  for (const one of world.memories) if (one.stage !== 'deleted') await memories.remove(one.id)
  for (const id of ids) {
    assert.ok(
      (await memories.standing(id)).every((one) => one.decidedBy !== 2),
      'all is given back',
    )
  }
  await memories.requireRightCounters()
}

type Tools = {
  rule(name: string): string
  fields(one: { scope: number; rule: string; paths: number }): { named: string; body: object }
  tag: string
}

async function act(world: World, action: Action, { rule, fields, tag }: Tools): Promise<void> {
  if (action.do === 'scan') {
    const all = rules.flatMap((name) => paths.map((path) => ({ name, path })))
    const seen = all.flatMap(({ name, path }, at) =>
      action.seen & (1 << at)
        ? [{ rule: rule(name), path, code: `${name}(${path})`, suppressed: (action.suppressed & (1 << at)) > 0 }]
        : [],
    )
    for (const one of seen) world.signs[action.repository]!.set(`${one.rule} ${one.path}`, one.suppressed)
    await sendLog(house, world.names[action.repository]!, seen)
    return
  }
  if (action.do === 'triage') {
    const findings = Object.values(await memories.findingIds(world.ids[action.repository]!))
    const id = findings[action.finding % (findings.length || 1)]
    if (id) await memories.triage(id, { triageState: `TRIAGE_STATE_${action.state}` })
    return
  }
  if (action.do === 'tag') {
    await memories.tag(world.ids[action.repository]!, action.tagged ? [tag] : [])
    world.tagged[action.repository] = action.tagged
    return
  }
  if (action.do === 'create') {
    const { named, body } = fields(action)
    const stage = action.live ? 'live' : 'suggested'
    const { id } = await memories.create({ ...body, stage: `AI_MEMORY_STAGE_${stage.toUpperCase()}` })
    const { scope, paths } = action
    world.memories.push({ id, stage, scope, paths, rule: rule(named), since: ++world.clock })
    return
  }
  const one = world.memories[action.memory]
  if (!one || one.stage === 'deleted') return
  if (action.do === 'delete') {
    await memories.remove(one.id)
    one.stage = 'deleted'
  } else if (action.do === 'promote') {
    await memories.promote(one.id)
    if (one.stage === 'suggested') one.since = ++world.clock
    one.stage = 'live'
  } else if (action.do === 'change') {
    const { named, body } = fields(action)
    await memories.update(one.id, body)
    Object.assign(one, { scope: action.scope, paths: action.paths, rule: rule(named) })
  }
}

async function check(world: World, run: number): Promise<void> {
  for (const [at, id] of world.ids.entries()) {
    for (const finding of await memories.standing(id)) {
      const what = `run ${run}: ${JSON.stringify(finding)}`
      if (finding.state === 7 || finding.decidedBy > 2) {
        assert.notEqual(finding.decidedBy, 2, what)
        continue
      }
      const expected = holder(world, at, finding)
      assert.equal(String(finding.decidedBy === 2 ? finding.deciderId : 0), expected, what)
      const ignored = expected !== '0' || world.signs[at]!.get(`${finding.rule} ${finding.path}`)
      assert.equal(finding.state === 5, ignored, what)
    }
  }
}

test('scans, triage, tags and memories in any order: each finding is held by whom it should be, and counters are right', async () => {
  await fc.assert(fc.asyncProperty(actions, play), { numRuns: 25 })
})
