import Type, { type Static } from 'typebox'
import * as codes from '../../domain/finding-codes.ts'
import * as names from '../../domain/wire-names.ts'
import {
  IdString,
  NamedObject,
  named,
  OneOf,
  OrNull,
  RepositoryName,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

export const State = named('FindingState', OneOf(names.stateNames.all, 'What was decided about it'))
export const Reason = named(
  'TriageReason',
  OneOf(names.reasonNames.all, 'Why; TRIAGE_REASON_UNSPECIFIED where no reason was given'),
)
export const SeverityLevel = named('Severity', OneOf(names.severityNames.all, 'How bad it is'))
export const ProductType = named(
  'ProductType',
  OneOf(names.productNames.all, 'Code, dependencies, secrets, or what is about AI'),
)
export const ConfidenceLevel = named('Confidence', OneOf(names.confidenceNames.all, 'How sure the tool is'))
export const Reachability = named(
  'Reachability',
  OneOf(names.reachabilityNames.all, 'Whether the vulnerable part of a dependency is used'),
)
export const Validity = named('Validity', OneOf(names.validityNames.all, 'Whether a secret still works'))
export const CategoryName = named(
  'Category',
  OneOf(codes.category.words, 'What it is about; empty where the tool does not say'),
)
export const DecidedBy = named(
  'DecidedBy',
  OneOf(
    names.deciderNames.all,
    'Who put it into its state. What a person decided is overruled by nobody but the fact that it is still there',
  ),
)
export const CauseName = named('Cause', OneOf(names.causeNames.all, 'Which rule ignores it provisionally'))

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(text('One entry'), { description })
const number = (description: string) => Type.Integer({ minimum: 0, description })

const place = {
  path: text('Of the file in the repository'),
  startLine: number('From 1; 0 where unknown'),
  startColumn: number('From 1; 0 where unknown'),
  endLine: number('From 1; 0 where unknown'),
  endColumn: number('From 1; 0 where unknown'),
}
const Place = NamedObject('Place', place, { description: 'A place in a file' })

const Location = NamedObject('Location', {
  ...place,
  snippet: text('The source there; empty where it may show a secret'),
})
const Suppression = NamedObject('Suppression', {
  kind: OneOf(['inSource', 'external'], 'In the source, or elsewhere'),
  status: OneOf(['accepted', 'underReview', 'rejected'], 'What became of it'),
  justification: text('Why'),
})
const Dependency = NamedObject('FindingDependency', {
  name: text('Name of the package'),
  version: text('The installed version; empty where unknown'),
  ecosystem: text('For example npm; empty where unknown'),
})
const FlowStep = NamedObject('FlowStep', {
  ...place,
  snippet: text('The source there; empty where it may show a secret'),
  message: text('What the tool says about this step; mostly empty'),
})
const CodeFlow = NamedObject('CodeFlow', { steps: number('How many steps it has'), first: Place, last: Place })

export const PersonOfDeployment = NamedObject('PersonOfDeployment', { id: IdString, name: text('Their name') })

export const Finding = VersionedObject('Finding', {
  id: IdString,
  deploymentId: IdString,
  repositoryId: IdString,
  repository: RepositoryName,
  ref: text('Branch or tag it was found on'),
  pullRequest: number('Number of the pull request it was raised for; 0 for the branch itself'),
  source: text('Who reports it: sarif:<tool>, osv or malware'),
  ruleId: text('As the source calls it; empty where it names no rule'),
  ruleName: text('A readable name of the rule; mostly empty'),
  title: text('What it is, in a line'),
  message: text('What the source says about it'),
  product: ProductType,
  category: CategoryName,
  severity: SeverityLevel,
  confidence: ConfidenceLevel,
  reachability: Reachability,
  validity: Validity,
  verdict: OneOf(names.verdictNames.all, 'What an analysis makes of it'),
  malicious: Type.Boolean({ description: 'The dependency is malicious, not merely vulnerable' }),
  silenced: Type.Boolean({
    description: 'Not shown in its pull request, because its rule is in monitor mode or it is suppressed there',
  }),
  triageState: State,
  triageReason: Reason,
  decidedBy: DecidedBy,
  deciderId: Type.String({
    description:
      'Id of the memory, automation or person that decided; of what has ended or come back, of the person who had decided before; empty for none of them',
  }),
  deciderName: text('Name of the person, of one who has left the deployment their name then; empty for others'),
  cause: CauseName,
  assignee: { ...OrNull(PersonOfDeployment), description: 'Who looks after it; null for nobody' },
  path: text('Of the file it is in; empty where there is none'),
  startLine: number('Line of the file, from 1; 0 where unknown'),
  commit: text(
    'Commit of the last scan that looked for it; of a fixed finding, the one it was raised on; empty if no scan named one',
  ),
  links: NamedObject(
    'FindingLinks',
    {
      file: text('The line at the code host'),
      commit: text('The commit'),
      pullRequest: text('The pull request'),
    },
    { description: "Addresses at the repository's host; empty where they are not known" },
  ),
  locations: Type.Array(Location, { description: 'Where it is, the most important place first; at most 20' }),
  logicalLocations: texts('Functions, classes or resources it is in'),
  codeFlow: {
    ...OrNull(CodeFlow),
    description: 'The first data flow, for example from source to sink; null without one',
  },
  cwes: texts('Weaknesses, for example CWE-79'),
  owasp: texts('OWASP categories'),
  vulnerabilityIds: texts('CVE, GHSA and other ids, the most important first'),
  dependency: { ...OrNull(Dependency), description: 'The dependency it is about; null where it is about none' },
  secretHint: text('How a secret begins, where that gives nothing away'),
  suppressions: Type.Array(Suppression, { description: 'Requests in the source or elsewhere not to report it' }),
  fingerprint: text('Its identity on its ref: survives moved lines'),
  scanId: Type.Integer({ minimum: 0, description: 'The scan that raised it; 0 where none did' }),
  raisedAt: Timestamp,
  stateChangedAt: Timestamp,
  dueAt: {
    ...OrNull(Timestamp),
    description: 'Until when it may stand, by its severity; null where that has no limit, and for what is settled',
  },
  fixedAt: OrNull(Timestamp),
})
export type Finding = Static<typeof Finding>

export const FindingDetail = NamedObject(
  'FindingDetail',
  {
    flow: Type.Array(FlowStep, {
      description: 'The steps of `codeFlow`: all of them, or the first 49 and the last',
    }),
    surroundings: {
      ...OrNull(
        NamedObject('Surroundings', { startLine: number('Line of the file it begins with'), text: text('The lines') }),
      ),
      description: 'The source around the first location; null where the tool did not send it, or it may show a secret',
    },
    rule: NamedObject('RuleHelp', {
      description: text('What the rule is about; empty where the tool does not say'),
      help: text('What the tool says on how to mend it, plain or in Markdown; empty where it does not'),
      helpUri: text('Where more is said; an https address, or empty'),
    }),
    fixedVersion: text(
      'First version of the dependency without it; several with `or` between them; empty where unknown',
    ),
    transitivity: OneOf(
      ['direct', 'transitive', ''],
      'Whether the repository asks for the dependency itself; empty where nobody says',
    ),
    missing: {
      ...OrNull(
        NamedObject('MissingFrom', {
          scanId: number('The latest scan of its ref that its source took part in; 0 where none did'),
          observedAt: Timestamp,
        }),
      ),
      description:
        'The last scan that looked for it and did not find it, if its state stayed the same, as with findings that a person ignored; else null',
    },
  },
  { description: 'What only one finding at a time is asked for' },
)
export type FindingDetail = Static<typeof FindingDetail>
