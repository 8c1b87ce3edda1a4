import fc from 'fast-check'
import type { LogResult } from '../../src/capabilities/findings/test-log.ts'
import { reason, state } from '../../src/domain/finding-codes.ts'
import type { Product } from '../../src/domain/finding-terms.ts'
import type { ModelTarget, Seen } from './findings-model.ts'

/** What can be wrong: rule and path are its identity. */
const flaws: { rule: string; path: string; product: Product }[] = [
  { rule: 'inject', path: 'src/a.js', product: 'code' },
  { rule: 'inject', path: 'src/lib/b.js', product: 'code' },
  { rule: 'weak', path: 'lib/c.js', product: 'code' },
  { rule: 'CVE-2024-10001', path: 'src/package-lock.json', product: 'sca' },
  { rule: 'CVE-2024-10002', path: 'package-lock.json', product: 'sca' },
  { rule: 'leaked-key', path: 'src/lib/.env', product: 'secrets' },
]
export const rules = [...new Set(flaws.map((one) => one.rule))]
export const sources = ['tool-a', 'tool-b']
export const tags = ['pci', 'web']
export const repositoryCount = 2

const repository = fc.nat(repositoryCount - 1)
const weakness = 'CWE-79'

const told = fc.record({
  severity: fc.constantFrom<Seen['severity'][]>('info', 'medium', 'high', 'critical'),
  confidence: fc.constantFrom<Seen['confidence'][]>('', 'low', 'high'),
  category: fc.constantFrom<Seen['category'][]>('', 'security', 'style'),
  reachability: fc.constantFrom<Seen['reachability'][]>('', 'unreachable', 'reachable'),
  validity: fc.constantFrom<Seen['validity'][]>('', 'invalid', 'valid'),
  byModel: fc.boolean(),
  weak: fc.boolean(),
  suppressed: fc.constantFrom(false, false, true),
  line: fc.integer({ min: 1, max: 50 }),
  copies: fc.constantFrom(1, 1, 1, 2),
})

export type Told = { result: LogResult; seen: Seen }

/** Some of the flaws in any order, on any line, once or twice, each told a little differently every time. */
const log: fc.Arbitrary<Told[]> = fc
  .tuple(fc.shuffledSubarray(flaws), fc.array(told, { minLength: flaws.length, maxLength: flaws.length }))
  .map(([chosen, words]) => chosen.flatMap((flaw, at) => tell(flaw, words[at]!)))

function tell(flaw: (typeof flaws)[number], words: typeof told extends fc.Arbitrary<infer T> ? T : never): Told[] {
  const { rule, path } = flaw
  const { severity, confidence, suppressed, line, weak, byModel } = words
  const ofCode = flaw.product === 'code'
  const product = ofCode && byModel ? 'ai' : flaw.product
  const reachability = product === 'sca' ? words.reachability : ''
  const validity = product === 'secrets' ? words.validity : ''
  const properties = {
    ...{ severity, confidence, category: words.category, reachability, validity },
    ...(product === 'ai' && { 'ai/model': 'reviewer' }),
    tags: [...(product === 'secrets' ? ['secret-detection'] : []), ...(weak ? [weakness] : [])],
  }
  const category = ofCode ? words.category || (weak ? 'security' : '') : 'security'
  return Array.from({ length: words.copies }, (_, copy) => ({
    // Each has code of its own; what becomes of equal ones is told by the tests of identity.
    result: { rule, path, code: `${rule}(${copy})`, message: `Copy ${copy}`, line, suppressed, properties },
    seen: {
      ...{ identity: `${rule} ${path}:${copy}`, rule, path, product, category, severity, confidence, suppressed },
      ...{ reachability, validity, cwes: weak ? [weakness] : [] },
    },
  }))
}

const hour = 3_600_000
/** How long after the last scan of its ref; before it, which is refused; or just now. */
const gap = fc.constantFrom('now', -1, 0, 17, hour, 7 * hour, 25 * hour, 6 * 24 * hour, 9 * 24 * hour)

const upload = fc.record({
  op: fc.constant('upload' as const),
  repository,
  target: fc.constantFrom<ModelTarget['target'][]>('main', 'dev', 1, 2),
  source: fc.constantFrom(...sources),
  /** A pull request may change its branch. */
  branch: fc.constantFrom('one', 'other'),
  log,
  failed: fc.constantFrom(false, false, false, true),
  gap,
})
export type Upload = typeof upload extends fc.Arbitrary<infer T> ? T : never

const chosen = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 })
/** Nobody decides that a pull request ended. */
const anyState = fc.constantFrom(...state.words.filter((word) => word !== 'ended'))
const anyReason = fc.constantFrom(...reason.words)

const scope = {
  about: fc.oneof(
    fc.record({ repository }),
    fc.record({ tag: fc.constantFrom(...tags) }),
    fc.constant({} as { repository?: number; tag?: string }),
  ),
  /** A memory for triage has to be about something. */
  what: fc.constantFrom<{ rule?: string; paths?: string[]; cwe?: string }[]>(
    ...rules.map((rule) => ({ rule })),
    { paths: ['src'] },
    { paths: ['lib', 'src/lib'] },
    { cwe: weakness },
    { rule: 'inject', paths: ['src/lib'] },
    { rule: 'inject', cwe: weakness },
  ),
  forTriage: fc.constantFrom(true, true, true, false),
}

const mode = fc.constantFrom('monitor', 'comment', 'block', 'disabled')
const modes = fc.record({ '*': mode, 'inject*': mode, inject: mode, 'leaked-key': mode }, { requiredKeys: [] })

export const action = fc.oneof(
  { weight: 10, arbitrary: upload },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('again' as const), which: fc.nat(20), reversed: fc.boolean(), gap }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('triage' as const),
      how: fc.constantFrom('alone', 'ids', 'filter'),
      ...{ chosen, state: anyState, reason: anyReason },
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('automate' as const), chosen, state: anyState }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('remember' as const), ...scope, live: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rephrase' as const), which: fc.nat(5), ...scope }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('promote' as const), which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('forget' as const), which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('tag' as const), repository, tags: fc.subarray(tags) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('end' as const),
      repository,
      pullRequest: fc.constantFrom<(1 | 2)[]>(1, 2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('expose' as const), repository }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), repository }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('police' as const), code: modes, secrets: modes }) },
)
export type Action = typeof action extends fc.Arbitrary<infer T> ? T : never
export type Scope = Pick<Extract<Action, { op: 'remember' }>, 'about' | 'what' | 'forTriage'>
