import Type, { type Static } from 'typebox'
import { NamedObject } from '../../kernel/contract/schema.ts'

/* What Dependency-Track's clients read, in its words. */

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const NamedThing = NamedObject('DependencyTrackNamed', { name: text('Name') })

export const Project = NamedObject('DependencyTrackProject', {
  uuid: text('Stable id, made from the repository and the version'),
  name: text('Name of the repository'),
  version: text('The default branch, or the name of another version'),
  active: Type.Boolean({ description: 'Whether the repository is not archived' }),
  isLatest: Type.Boolean({ description: 'Whether it is the latest version' }),
  tags: Type.Array(NamedThing, { description: 'Tags of the repository' }),
  lastBomImport: count('When its components were last uploaded, in milliseconds since 1970'),
  lastBomImportFormat: text('What bills are read as'),
})
export type Project = Static<typeof Project>

const Component = NamedObject('DependencyTrackComponent', {
  uuid: text('Stable id within the project'),
  name: text('Name without its namespace'),
  group: Type.Optional(text('Its namespace')),
  version: text('Version'),
  purl: Type.Optional(text('Package URL')),
  project: text('Id of the project'),
  projectName: text('Name of the repository'),
  projectVersion: text('Version of the project'),
  hasOccurrences: Type.Boolean({ description: 'Always false: places are shown in the console' }),
})
export type Component = Static<typeof Component>

const Vulnerability = NamedObject('DependencyTrackVulnerability', {
  uuid: text('Stable id'),
  source: text('NVD, GITHUB or OSV'),
  vulnId: text('The id it is best known by'),
  title: text('What it is'),
  description: text('The same at length'),
  recommendation: Type.Optional(text('The version that is free of it')),
  references: Type.Optional(text('Links, one a line')),
  severity: text('CRITICAL, HIGH, MEDIUM, LOW, INFO or UNASSIGNED'),
  severityRank: count('0 for the most severe'),
  cvssV2BaseScore: Type.Optional(Type.Number({ description: 'Score by CVSS 2' })),
  cvssV2Vector: Type.Optional(text('Vector of CVSS 2')),
  cvssV3BaseScore: Type.Optional(Type.Number({ description: 'Score by CVSS 3' })),
  cvssV3Vector: Type.Optional(text('Vector of CVSS 3')),
  cvssV4Score: Type.Optional(Type.Number({ description: 'Score by CVSS 4' })),
  cvssV4Vector: Type.Optional(text('Vector of CVSS 4')),
  cwes: Type.Array(
    Type.Object({ cweId: count('Number of the weakness'), name: text('Its id') }, { description: 'A weakness' }),
    { description: 'Kinds of weakness' },
  ),
  aliases: Type.Array(
    Type.Object({
      cveId: Type.Optional(text('Id at NVD')),
      ghsaId: Type.Optional(text('Id at GitHub')),
      osvId: Type.Optional(text('Id at OSV')),
    }),
    { description: 'Its ids elsewhere' },
  ),
  published: count('When, in milliseconds since 1970'),
})

export const Finding = NamedObject('DependencyTrackFinding', {
  component: Component,
  vulnerability: Vulnerability,
  analysis: Type.Object(
    {
      state: text('NOT_SET, IN_TRIAGE, EXPLOITABLE, FALSE_POSITIVE or NOT_AFFECTED'),
      isSuppressed: Type.Boolean({ description: 'Whether it was ignored' }),
    },
    { description: 'What people decided about it on the default branch' },
  ),
  attribution: Type.Object(
    { analyzerIdentity: text('Who found it'), attributedOn: count('When, in milliseconds since 1970') },
    { description: 'Who found it' },
  ),
  matrix: text('The ids of project, component and vulnerability'),
})
export type Finding = Static<typeof Finding>

export const Violation = NamedObject('DependencyTrackViolation', {
  uuid: text('Stable id'),
  type: text('SECURITY'),
  text: text('What is wrong'),
  timestamp: count('When it was asked, in milliseconds since 1970'),
  policyCondition: Type.Object(
    {
      uuid: text('Stable id'),
      subject: text('What the condition is about'),
      operator: text('IS'),
      value: text('What it is compared with'),
      policy: Type.Object(
        { uuid: text('Stable id'), name: text('Name of the policy'), violationState: text('FAIL or WARN') },
        { description: 'The policy' },
      ),
    },
    { description: 'The condition that does not hold' },
  ),
  component: Component,
})
export type Violation = Static<typeof Violation>

export const Metrics = NamedObject('DependencyTrackMetrics', {
  critical: count('Findings of this severity'),
  high: count('Findings of this severity'),
  medium: count('Findings of this severity'),
  low: count('Findings of this severity'),
  unassigned: count('Findings without a severity'),
  vulnerabilities: count('Findings that are not ignored'),
  vulnerableComponents: count('Components that have one'),
  components: count('Components of the version'),
  suppressed: count('Findings that are ignored'),
  findingsTotal: count('All findings'),
  findingsAudited: count('Findings that somebody has looked at'),
  findingsUnaudited: count('Findings that nobody has looked at'),
  inheritedRiskScore: count('10 for each critical, 5 high, 3 medium, 1 low, 5 without a severity'),
  policyViolationsTotal: count('Violations'),
  policyViolationsFail: count('Violations that are certain'),
  policyViolationsWarn: count('Violations that wait for a decision'),
  policyViolationsInfo: count('None'),
  firstOccurrence: count('When it was asked, in milliseconds since 1970'),
  lastOccurrence: count('When it was asked, in milliseconds since 1970'),
})
export type Metrics = Static<typeof Metrics>

export const Team = NamedObject('DependencyTrackTeam', {
  uuid: text('Stable id'),
  name: text('Name of the deployment, as far as clients show it'),
  permissions: Type.Array(NamedThing, { description: 'What the token may do' }),
})

export const Version = NamedObject('DependencyTrackVersion', {
  application: text('Gatehouse'),
  version: text('The version of Dependency-Track whose features are here'),
  timestamp: text('When the server was started'),
  uuid: text('Stable id'),
  systemUuid: text('Stable id'),
  framework: Type.Object(
    {
      name: text('Gatehouse'),
      version: text('Version of Gatehouse'),
      timestamp: text('As above'),
      uuid: text('As above'),
    },
    { description: 'What it is made with' },
  ),
})
