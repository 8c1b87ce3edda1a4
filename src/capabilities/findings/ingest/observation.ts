import type { Verdict } from '../../../domain/finding-codes.ts'
import type { Finding } from '../../../formats/sarif/finding.ts'

/** One thing that is wrong, as a source saw it. The fingerprint is its identity within what the source says of a ref. */
export type Observation = Omit<
  Finding,
  'tool' | 'pointer' | 'line' | 'level' | 'fingerprints' | 'partialFingerprints' | 'lacksCode' | 'hidesSecret'
> & {
  verdict: Verdict
  /** How a dependency came in; '' where nobody says. */
  transitivity: 'direct' | 'transitive' | ''
  malicious: boolean
  /** Known already, it stays known; otherwise nobody wants to hear of it. */
  leftOut?: boolean
}

/** What every source can say. */
type Told = Pick<Observation, 'fingerprint' | 'ruleId' | 'title' | 'message' | 'product' | 'severity'>

const nothingElse: Omit<Observation, keyof Told> = {
  baselineState: '',
  context: '',
  formerGroup: '',
  otherGroups: [],
  ruleName: '',
  category: 'security',
  confidence: '',
  cwes: [],
  owasp: [],
  vulnerabilityIds: [],
  suppressed: false,
  suppressions: [],
  locations: [],
  logicalLocations: [],
  codeFlow: null,
  secretHint: '',
  dependency: null,
  reachability: '',
  validity: '',
  flow: [],
  surroundings: null,
  ruleHelp: { description: '', text: '', uri: '' },
  fixedVersion: '',
  transitivity: '',
  verdict: '',
  malicious: false,
}

/** An observation of which only a part is told. */
export function observe(told: Told & Partial<Observation>): Observation {
  return { ...nothingElse, ...told }
}
