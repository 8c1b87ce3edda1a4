import { hash } from 'node:crypto'
import * as codes from '../../../domain/finding-codes.ts'
import { plainArray, textArray } from '../../../kernel/database/array-literal.ts'
import { storableText } from '../../../kernel/text/storable-text.ts'
import { storedContext } from '../identity/pairing.ts'
import { causeOf } from '../lifecycle/lifecycle.ts'
import type { Observation } from './observation.ts'

/** A rule of a source, as far as observations tell. One that reports for two products is two. */
export type ObservedRule = {
  externalId: string
  name: string
  title: string
  product: Observation['product']
  help: Observation['ruleHelp']
}

/**
 * Observations in the shape the database takes: each column one array in PostgreSQL's own notation, made where they are
 * read, so that the thread that answers requests only passes them on. It looks at nothing but `heads`.
 */
export type FindingBatch = {
  heads: {
    fingerprint: string[]
    context: string[]
    /** The groups by which releases before knew them; '' where they are the same. */
    formerGroup: string[]
    /** Those by which the tool may have named them before, with spaces between; mostly ''. */
    otherGroups: string[]
    line: number[]
    digest: string[]
    cause: number[]
    suppressed: boolean[]
    /** What the log says of each in respect of its own baseline. */
    baseline: Baseline[]
    leftOut: boolean[]
    rule: number[]
  }
  columns: Record<ColumnName, string>
}

export type PackedFindings = { count: number; rules: ObservedRule[]; batches: FindingBatch[] }

export type Baseline = Observation['baselineState']

type ColumnName =
  | 'fingerprint'
  | 'context'
  | 'digest'
  | 'rule'
  | 'product'
  | 'category'
  | 'severity'
  | 'confidence'
  | 'reachability'
  | 'validity'
  | 'verdict'
  | 'malicious'
  | 'startLine'
  | 'path'
  | 'title'
  | 'message'
  | 'cwes'
  | 'vulnerabilityIds'
  | 'content'
  | 'detail'

const batchSize = 2_500
const maxInteger = 2_147_483_647
const maxRuleId = 400

/** Takes observations one by one; of two with one fingerprint the first counts. */
export function createPacker() {
  const rules = new Map<string, { index: number; rule: ObservedRule }>()
  const seen = new Set<string>()
  const batches: FindingBatch[] = []
  let waiting: Observation[] = []

  /** Answers how many characters were packed since the last time. */
  function add(observed: Observation): number {
    const fingerprint = storable(observed.fingerprint)
    if (seen.has(fingerprint)) return 0
    seen.add(fingerprint)
    waiting.push(observed)
    return waiting.length === batchSize ? pack() : 0
  }

  function pack(): number {
    if (waiting.length === 0) return 0
    const batch = packBatch(waiting, indexOf)
    waiting = []
    batches.push(batch)
    return Object.values(batch.columns).reduce((sum, column) => sum + column.length, 0)
  }

  /** From 1, like the elements of an array in SQL. */
  function indexOf(observed: Observation): number {
    const externalId = storable(observed.ruleId, maxRuleId)
    const key = `${observed.product}\n${externalId}`
    const known = rules.get(key)
    if (known) return known.index
    const index = rules.size + 1
    const { product, ruleHelp: help } = observed
    const rule = { externalId, name: storable(observed.ruleName), title: storable(observed.title), product, help }
    rules.set(key, { index, rule })
    return index
  }

  function finish(): PackedFindings {
    pack()
    return { count: seen.size, rules: [...rules.values()].map(({ rule }) => rule), batches }
  }

  return { add, finish }
}

function packBatch(observed: readonly Observation[], indexOf: (one: Observation) => number): FindingBatch {
  const contents = observed.map((one) => storableJson(contentOf(one)))
  const details = observed.map((one) => storableDetail(one))
  const heads = {
    fingerprint: observed.map((one) => storable(one.fingerprint)),
    context: observed.map((one) => one.context),
    formerGroup: observed.map((one) => one.formerGroup),
    otherGroups: observed.map((one) => one.otherGroups.join(' ')),
    line: observed.map((one) => Math.min(one.locations[0]?.startLine ?? 0, maxInteger)),
    digest: observed.map((one, at) => digestOf(one, contents[at]! + details[at]!)),
    cause: observed.map((one) => codes.cause.code(causeOf(one))),
    suppressed: observed.map((one) => one.suppressed),
    baseline: observed.map((one) => one.baselineState),
    leftOut: observed.map((one) => one.leftOut === true),
    rule: observed.map(indexOf),
  }
  const first = (one: Observation) => one.locations[0]
  const columns = {
    fingerprint: textArray(heads.fingerprint),
    context: textArray(heads.context.map(storedContext)),
    digest: textArray(heads.digest),
    rule: plainArray(heads.rule),
    product: plainArray(observed.map((one) => codes.product.code(one.product))),
    category: plainArray(observed.map((one) => codes.category.code(one.category))),
    severity: plainArray(observed.map((one) => codes.severity.code(one.severity))),
    confidence: plainArray(observed.map((one) => codes.confidence.code(one.confidence))),
    reachability: plainArray(observed.map((one) => codes.reachability.code(one.reachability))),
    validity: plainArray(observed.map((one) => codes.validity.code(one.validity))),
    verdict: plainArray(observed.map((one) => codes.verdict.code(one.verdict))),
    malicious: plainArray(observed.map((one) => one.malicious)),
    startLine: plainArray(heads.line),
    path: textArray(observed.map((one) => storable(first(one)?.path ?? ''))),
    title: textArray(observed.map((one) => storable(one.title))),
    message: textArray(observed.map((one) => storable(one.message))),
    cwes: textArray(observed.map((one) => words(one.cwes))),
    vulnerabilityIds: textArray(observed.map((one) => words(one.vulnerabilityIds))),
    content: textArray(contents),
    detail: textArray(details),
  }
  return { heads, columns }
}

export type Content = Pick<
  Observation,
  | 'ruleName'
  | 'owasp'
  | 'suppressions'
  | 'locations'
  | 'logicalLocations'
  | 'codeFlow'
  | 'secretHint'
  | 'dependency'
  | 'toolId'
>

const maxLocations = 20

function contentOf(one: Observation): Content {
  const { ruleName, owasp, suppressions, logicalLocations, codeFlow, secretHint, dependency, toolId } = one
  const locations = one.locations.slice(0, maxLocations)
  const content = { ruleName, owasp, suppressions, locations, logicalLocations, codeFlow, secretHint, dependency }
  return toolId ? { ...content, toolId } : content
}

/** What only the page of a finding shows: beside what searches read, so that they stay as fast without it. */
export type Detail = Pick<Observation, 'flow' | 'surroundings' | 'fixedVersion' | 'transitivity'>

/** '' where there is nothing to say. */
function storableDetail({ flow, surroundings, fixedVersion, transitivity }: Observation): string {
  if (flow.length === 0 && !surroundings && fixedVersion === '' && transitivity === '') return ''
  return storableJson({ flow, surroundings, fixedVersion, transitivity } satisfies Detail)
}

/** Over everything that is said of it. */
function digestOf(one: Observation, content: string): string {
  const { ruleId, product, category, severity, confidence, reachability, validity, verdict, malicious } = one
  const { title, message, cwes, vulnerabilityIds } = one
  const said = [ruleId, product, category, severity, confidence, reachability, validity, verdict, malicious]
  return hash('sha256', JSON.stringify([said, title, message, cwes, vulnerabilityIds]) + content, 'base64').slice(0, 22)
}

/** An array of arrays of different lengths is none in PostgreSQL; no id has a space. */
function words(ids: readonly string[]): string {
  return ids.map((id) => storable(id).replace(/\s+/g, '')).join(' ')
}

/** Without U+0000 and halves of surrogate pairs. */
function storable(text: string, maxLength = 4_000_000): string {
  return storableText(text, maxLength)
}

/** JSON in PostgreSQL does not hold them even as escapes. They are rare, so a text is only looked at closely when it may have one. */
function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  if (!/\\u(0000|d[89a-f])/.test(text)) return text
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'string' ? storable(inner) : inner))
}
