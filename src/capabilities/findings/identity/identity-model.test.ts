import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../../test/depth.ts'
import { codeAt } from '../../../cli/scan/code/code-at.ts'
import { sentNames } from '../../../formats/sarif/identity/content.ts'
import { readLog, sampleLog } from '../../../formats/sarif/test-log.ts'
import { createPacker } from '../ingest/pack.ts'
import { fixOf, planChanges } from '../ingest/plan-changes.ts'
import type { StoredFindingRow } from '../ingest/reconcile-store.ts'
import { noBase } from '../pull-requests/base.ts'
import { groupOf, isPresent } from './pairing.ts'
import { recognise } from './recognise.ts'

/** A file that is edited, a tool that finds each `eval` in it, and a person who ignores some of them. */
type Line = { id: number; text: string }
type Row = StoredFindingRow & { line: Line | undefined; about: Line | undefined }
type Edit = { what: string; at: number; other: number }
type Step = { edits: Edit[]; ignore: number | undefined }

const harmful = ['eval(req.body.code)', 'eval(input)', "eval('1+1')"]
const person = 4
const ignored = 6
const bare = (text: string) => text.replace(/\s+/g, '')
const isHidden = (row: Row) => row.state === ignored && isPresent(row)

function createWorld(withCode: boolean) {
  let path = 'a.js'
  let nextId = 1
  const line = (text: string): Line => ({ id: nextId++, text })
  const other = (): Line => line(`const value${nextId} = await compute(request, settings, ${nextId})`)
  const lines = [
    other(),
    other(),
    line("eval('1+1')"),
    other(),
    other(),
    other(),
    line('eval(input)'),
    other(),
    other(),
  ]
  const rows: Row[] = []

  function edit({ what, at, other: which }: Edit): void {
    const place = at % (lines.length + 1)
    const [one, two] = [at % Math.max(lines.length, 1), which % Math.max(lines.length, 1)]
    if (what === 'insert') lines.splice(place, 0, line(harmful[which % harmful.length]!))
    else if (what === 'insert-other') lines.splice(place, 0, other())
    else if (what === 'rename') path = path === 'a.js' ? 'b.js' : 'a.js'
    else if (lines.length === 0) return
    else if (what === 'delete') lines.splice(one, 1)
    else if (what === 'swap') [lines[one], lines[two]] = [lines[two]!, lines[one]!]
    else if (what === 'reformat') lines[one]!.text = `  ${lines[one]!.text.replace('(', ' ( ')}`
    else if (what === 'duplicate') lines.splice(one + 1, 0, line(lines[one]!.text))
  }

  function logged() {
    const results = lines.flatMap(({ text }, at) => {
      if (!bare(text).includes('eval(')) return []
      const code = withCode
        ? codeAt(
            lines.map((each) => each.text),
            at + 1,
            at + 1,
          )!
        : undefined
      const prints = code && { [sentNames.code]: code.code, [sentNames.around]: code.around }
      const physicalLocation = { artifactLocation: { uri: path }, region: { startLine: at + 1 } }
      const result = { ruleId: 'no-eval', message: { text: 'eval is harmful.' }, locations: [{ physicalLocation }] }
      return [{ ...result, ...(prints && { partialFingerprints: prints }) }]
    })
    const packer = createPacker()
    for (const finding of readLog(sampleLog({ results })).findings)
      packer.add({ ...finding, verdict: '', malicious: false, transitivity: '' })
    return packer.finish()
  }

  async function upload(): Promise<void> {
    const packed = logged()
    const recognition = await recognise<Row>(new Map(rows.map((row) => [row.fingerprint, row])), [packed])
    const seen = new Set<StoredFindingRow>()
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const batch of packed.batches) {
      const modes = packed.rules.map(() => 'shown' as const)
      const sorted = planChanges(batch, {
        recognition,
        base: noBase,
        elsewhere: () => undefined,
        before: () => undefined,
        seen,
        modes,
        inPullRequest: false,
      })
      recognition.of(batch).rows.forEach((row, at) => {
        if (!row) return
        Object.assign(row, {
          absent: false,
          start_line: batch.heads.line[at]!,
          line: lines[batch.heads.line[at]! - 1]!,
        })
      })
      for (const { id, context } of sorted.contexts) byId.get(id)!.context = context
      for (const { id, state, decidedBy } of sorted.transitions)
        Object.assign(byId.get(id)!, { state, decided_by: decidedBy })
      for (const { ordinal, fingerprint, state, decidedBy } of sorted.fresh) {
        const at = ordinal - 1
        const start_line = batch.heads.line[at]!
        const standing = { state, decided_by: decidedBy, reason: 0, decider_id: 0, silenced: false, absent: false }
        const place = { start_line, line: lines[start_line - 1]!, about: undefined, digest: batch.heads.digest[at]! }
        const known = { fingerprint: fingerprint ?? batch.heads.fingerprint[at]!, context: batch.heads.context[at]! }
        assert.ok(!rows.some((row) => row.fingerprint === known.fingerprint), 'two with one fingerprint')
        const row: Row = { id: rows.length + 1, ...standing, ...place, ...known }
        rows.push(row)
        seen.add(row)
      }
    }
    const gone = rows.filter((row) => !seen.has(row))
    for (const { id, state, decidedBy } of gone.flatMap((row) => fixOf(row) ?? []))
      Object.assign(byId.get(id)!, { state, decided_by: decidedBy })
    for (const row of gone) Object.assign(row, { absent: true, line: undefined })
  }

  function ignore(which: number): void {
    const open = rows.filter((row) => isPresent(row) && row.state < 5)
    const row = open[which % Math.max(open.length, 1)]
    if (row) Object.assign(row, { state: ignored, decided_by: person, about: { ...row.line! } })
  }

  return { rows, lines, edit, upload, ignore, path: () => path }
}

const edits = ['insert', 'insert-other', 'delete', 'swap', 'rename', 'reformat', 'duplicate']
const step: fc.Arbitrary<Step> = fc.record({
  edits: fc.array(fc.record({ what: fc.constantFrom(...edits), at: fc.nat({ max: 30 }), other: fc.nat({ max: 30 }) }), {
    maxLength: 3,
  }),
  ignore: fc.option(fc.nat({ max: 10 }), { nil: undefined }),
})
const story = fc.array(step, { minLength: 2, maxLength: 8 })
const settings = { seed: 20, numRuns: often(1_500) }

/** How many decisions about lines that are still there, in the same file and with the same code, did not hold. */
type Cost = { kept: number; lost: number }

async function run(steps: readonly Step[], withCode: boolean, cost: Cost): Promise<void> {
  const world = createWorld(withCode)
  await world.upload()
  world.ignore(0)
  for (const { edits: some, ignore } of steps) {
    const path = world.path()
    const hiddenBefore = world.rows.filter(isHidden)
    const decided = hiddenBefore.map((row) => ({ ...row.line! }))
    const presentBefore = new Set(world.rows.filter(isPresent).map((row) => groupOf(row.fingerprint)))
    const countBefore = world.rows.filter(isPresent).length
    const contextsBefore = new Map(world.rows.map((row) => [row.id, row.context]))
    const linesBefore = new Map<string, number>()
    for (const { text } of world.lines) linesBefore.set(bare(text), (linesBefore.get(bare(text)) ?? 0) + 1)
    for (const one of some) world.edit(one)
    await world.upload()
    const hidden = world.rows.filter(isHidden)
    if (withCode) {
      for (const row of hidden) {
        const text = bare(row.line!.text)
        assert.equal(text, bare(row.about!.text), 'other code is hidden')
        // A copy of the line takes over a decision only at the very place of the first, between the same lines.
        const grew = world.lines.filter((one) => bare(one.text) === text).length > (linesBefore.get(text) ?? 0)
        if (grew && row.line!.id !== row.about!.id) {
          assert.equal(row.context, contextsBefore.get(row.id), 'a copy is hidden')
        }
      }
    }
    const present = world.rows.filter(isPresent)
    const samePath = presentBefore.has(groupOf(present[0]?.fingerprint ?? ''))
    if (!withCode && samePath && present.length > countBefore)
      assert.deepEqual(hidden, [], 'hidden though there are more')
    if (!withCode && !samePath) assert.deepEqual(hidden, [], 'hidden in another file')
    if (some.length === 0) assert.deepEqual(hidden, hiddenBefore, 'nothing was edited')
    if (path === world.path()) {
      for (const before of decided) {
        const still = world.lines.find(({ id, text }) => id === before.id && bare(text) === bare(before.text))
        if (still) cost[hidden.some((row) => row.line?.id === still.id) ? 'kept' : 'lost']++
      }
    }
    if (ignore !== undefined) world.ignore(ignore)
  }
}

test('with code, no edit hides other code behind a decision', async (t) => {
  const cost = { kept: 0, lost: 0 }
  await fc.assert(
    fc.asyncProperty(story, (steps) => run(steps, true, cost)),
    settings,
  )
  t.diagnostic(`with code: ${cost.kept} decisions kept, ${cost.lost} lost without need`)
  assert.ok(cost.lost < 0.15 * cost.kept, JSON.stringify(cost))
})

test('without code, only as many as before, or fewer, are hidden', async (t) => {
  const cost = { kept: 0, lost: 0 }
  await fc.assert(
    fc.asyncProperty(story, (steps) => run(steps, false, cost)),
    settings,
  )
  t.diagnostic(`without code: ${cost.kept} decisions kept, ${cost.lost} lost without need`)
  assert.ok(cost.kept > 0)
})
