import type { Category, Confidence, Product, Severity } from '../../domain/finding-terms.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { Problem } from '../format.ts'
export type Level = 'error' | 'warning' | 'note' | 'none'

/** A place in a file. Numbers are 1-based; 0 where the log does not say. */
export type SourceRange = {
  /** Relative to the repository's root where the log tells the root, with `/`; else absolute, or an URL; '' if none. */
  path: string
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

export type FindingLocation = SourceRange & {
  /** At most 500 characters of the source; always '' where the finding is about a secret. */
  snippet: string
}

/** A step of a data flow, with what the tool says about it. */
export type FlowStep = FindingLocation & {
  /** At most 200 characters; '' where the tool says nothing. */
  message: string
}

/** What a tool says about a rule, whatever it found by it; each '' where it does not. */
export type RuleHelp = {
  description: string
  /** Markdown where the tool has it, at most 4,000 characters. */
  text: string
  uri: string
}

export type Suppression = {
  kind: 'inSource' | 'external'
  status: 'accepted' | 'underReview' | 'rejected'
  justification: string
}

/** The dependency that a finding of product 'sca' is about. */
export type VulnerableDependency = {
  name: string
  /** The installed version; '' where the log does not say. */
  version: string
  /** '' for packages of an operating system, or where the log does not say. */
  ecosystem: EcosystemId | ''
}

/** One thing that is wrong, as a tool's log says it: a SARIF result of kind 'fail'. */
export type Finding = {
  tool: { name: string; version: string }
  /** As the tool writes it, with its sub-ids (`CA1000/1`); '' where it names no rule. */
  ruleId: string
  /** The rule's readable name (`UnusedVariable`); '' where the log has none. */
  ruleName: string
  /** One line for a list: the rule's short description, else its name, else the start of the message. */
  title: string
  /** Plain text with its arguments filled in, at most 4,000 characters. */
  message: string
  product: Product
  category: Category
  severity: Severity
  /** The SARIF level in effect, after the rule's defaults and the invocation's overrides. */
  level: Level
  confidence: Confidence
  /** `CWE-79`, without leading zeros, in the order of the log. */
  cwes: string[]
  /** `A03:2021`; `A03` where the log gives no year; `API3:2023`, `M1`, `LLM01:2025` of the other lists. */
  owasp: string[]
  /** `CVE-2021-44228`, `GHSA-…`, and ids of other advisory sources, the one the rule is named after first. */
  vulnerabilityIds: string[]
  /** The tool or the source says not to report it, and nobody has that decision under review (SARIF §3.27.23). */
  suppressed: boolean
  suppressions: Suppression[]
  /** Against the tool's own baseline; 'absent' means that the tool no longer finds it, '' that it has no baseline. */
  baselineState: 'new' | 'unchanged' | 'updated' | 'absent' | ''
  /** The first is the primary one; at most 100. Empty where the log gives none. */
  locations: FindingLocation[]
  /** Fully qualified names (`Namespace.Type.method`), as far as given; at most 20. */
  logicalLocations: string[]
  /** The first data flow, e.g. from source to sink; null where there is none. */
  codeFlow: { steps: number; first: SourceRange; last: SourceRange } | null
  /** The steps of that flow: all where there are at most 50, else the first 49 and the last. */
  flow: FlowStep[]
  /** The lines around the first location; null where the log has none, and where the finding is about a secret. */
  surroundings: { startLine: number; text: string } | null
  ruleHelp: RuleHelp
  /** The version of the dependency that is free of it, as the tool says it; '' where it does not. */
  fixedVersion: string
  /** As given, but for those that are hashes of a secret, which can be guessed. */
  fingerprints: Record<string, string>
  partialFingerprints: Record<string, string>
  /** Our identity of the finding: see `fingerprint.ts`. */
  fingerprint: string
  /** What tells it from others with the same hash in their fingerprint: see `content.ts`. */
  context: string
  /** The hash of the fingerprint by which releases before knew it; '' where it is the same. */
  formerGroup: string
  /** Those of the fingerprints that it has under other names of its rule or vulnerability. */
  otherGroups: string[]
  /** It points at code that the log does not have. */
  lacksCode: boolean
  /** It is about a secret, and the log has something else in its place. */
  hidesSecret: boolean
  /** Of a long secret its first four characters, which tell its kind (`AKIA…`); else ''. */
  secretHint: string
  dependency: VulnerableDependency | null
  /** Whether the vulnerable part of a dependency is used; '' where the tool does not look. */
  reachability: 'reachable' | 'unreachable' | 'unknown' | ''
  /** Whether a secret still works; '' where the tool does not try. */
  validity: 'valid' | 'invalid' | 'unknown' | ''
  /** What the tool itself calls it, where the tool can be told by that name what was decided; never of a secret. */
  toolId?: string
  /** Where in the log it stands. */
  pointer: string
  line: number
}

/** What reading gives, one at a time. */
export type SarifPart = { finding: Finding; problem?: undefined } | { problem: Problem; finding?: undefined }
