import Type, { type Static } from 'typebox'
import { severityNames } from '../../domain/wire-names.ts'
import {
  Count,
  Id,
  IdString,
  NamedObject,
  named,
  OneOf,
  OrNull,
  RepositoryName,
  Timestamp,
} from '../../kernel/contract/schema.ts'

export const Ref = named(
  'ScanRef',
  Type.String({
    minLength: 1,
    maxLength: 250,
    pattern: '^[^\\s~^:?*\\[\\\\]+$',
    description: 'Branch or tag that was scanned; refs/heads/ in front of it is dropped',
  }),
)
export const Commit = named(
  'ScanCommit',
  Type.String({
    maxLength: 64,
    pattern: '^([0-9a-f]{7,64})?$',
    description: 'Commit that was scanned, in lower-case hexadecimal; empty where not known',
  }),
)
export const Kind = named(
  'ScanKind',
  OneOf(
    ['SCAN_KIND_FULL', 'SCAN_KIND_PULL_REQUEST'],
    'A full scan describes a ref; a pull request scan what a change would make of it',
  ),
)
export const PullRequest = named(
  'PullRequest',
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the pull request' }),
)
const BaseRef = named(
  'BaseRef',
  Type.String({
    minLength: 1,
    maxLength: 250,
    pattern: '^[^\\s~^:?*\\[\\\\]+$',
    description: 'Branch that the pull request goes to',
  }),
)
export const Tool = named(
  'ScanTool',
  Type.String({ maxLength: 200, description: 'What made or sent the files, for example gatehouse/1.0' }),
)
export const FilePath = named(
  'FilePath',
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'Path of the file in the repository, with / between its parts',
  }),
)

export const Root = named(
  'ScanRoot',
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description:
      'Folder in which the repository was checked out when the tools ran: what SARIF logs call by absolute paths below it gets paths of the repository',
  }),
)

const Part = named(
  'ScanPart',
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description:
      'Folder of the repository that was scanned, if not the whole repository: what is outside of it stays as it is. Paths of files are still from the top of the repository',
  }),
)

const PerformedAt = named(
  'PerformedAt',
  Type.String({
    format: 'date-time',
    description:
      'When the scan was made, where that is not now: for scans of the past, which owners and admins may bring in, oldest first',
  }),
)

const Run = named(
  'ScanRun',
  Type.String({
    maxLength: 200,
    description:
      'Run of the CI service that sends it, the same when a job of it is run again. Where other commits were scanned since, the same upload of another run counts: the branch was set back',
  }),
)

/** The JSON part `scan` of an upload. */
export const NewScan = NamedObject('NewScan', {
  repository: RepositoryName,
  ref: Ref,
  commit: Type.Optional(Commit),
  kind: Type.Optional(Kind),
  pullRequest: Type.Optional(PullRequest),
  baseRef: Type.Optional(BaseRef),
  tool: Type.Optional(Tool),
  root: Type.Optional(Root),
  part: Type.Optional(Part),
  performedAt: Type.Optional(PerformedAt),
  run: Type.Optional(Run),
  parents: Type.Optional(
    Type.Array(Commit, {
      maxItems: 100,
      description:
        'Of a full scan: the parents of its commit. A pull request to this ref that was last scanned at one of them is merged',
    }),
  ),
  mergedPullRequests: Type.Optional(
    Type.Array(PullRequest, {
      maxItems: 100,
      description: 'Of a full scan: pull requests to this ref that its commit merges',
    }),
  ),
  createRepository: Type.Optional(
    Type.Boolean({ description: 'Create the repository if there is none of this name; true by default' }),
  ),
  allowEmpty: Type.Optional(
    Type.Boolean({ description: 'Take a scan without any file: the repository has no dependencies; false by default' }),
  ),
})
export type NewScan = Static<typeof NewScan>

export const ScanProblem = NamedObject('ScanProblem', {
  code: Type.String({ description: 'Stable name of the problem, for example truncated or missing-version' }),
  detail: Type.String({ description: 'What is wrong, for a person' }),
  line: Type.Integer({ minimum: 0, description: 'Line of the file, from 1; 0 where unknown' }),
  pointer: Type.String({ description: 'JSON pointer, XML path or key of the place; empty where there is none' }),
  fatal: Type.Boolean({ description: 'Nothing of the file could be used' }),
})
export type ScanProblem = Static<typeof ScanProblem>

const fileStatuses = [
  'FILE_STATUS_READ',
  'FILE_STATUS_UNCHANGED',
  'FILE_STATUS_UNREADABLE',
  'FILE_STATUS_UNRECOGNISED',
] as const

export const ScanFile = NamedObject('ScanFile', {
  path: FilePath,
  status: OneOf(fileStatuses, 'Unchanged: read before with the same content. Of unreadable files nothing is used'),
  format: Type.String({ description: 'Which reader took it, for example package-lock; empty where none did' }),
  bytes: Type.Integer({ minimum: 0, description: 'Size after decompression' }),
  dependencies: Type.Integer({ minimum: 0, description: 'How many dependencies were read from it' }),
  findings: Type.Object(
    {
      total: Type.Integer({ minimum: 0, description: 'How many findings were read from it' }),
      raised: Type.Integer({ minimum: 0, description: 'Those that were not known before' }),
      reopened: Type.Integer({ minimum: 0, description: 'Those that were fixed and are there again' }),
      fixed: Type.Integer({
        minimum: 0,
        description:
          'Those of its tools that were known and that this scan no longer has; of a tool with several files, given with the last',
      }),
      inherited: Type.Integer({
        minimum: 0,
        description:
          'Of a pull request: those that its base has too, or that the log calls unchanged; they are not raised',
      }),
      undetermined: Type.Integer({
        minimum: 0,
        description:
          'Of a pull request: those of which nobody can say whether they are new, because the base was not scanned by their tool; they are not raised',
      }),
      complete: Type.Boolean({
        description: 'Whether all its tools ran to their end; otherwise nothing of them counts as fixed',
      }),
    },
    { description: 'What became of the findings that were read from it' },
  ),
  keptPrevious: Type.Boolean({
    description: 'It could not be read, and what an earlier scan read from this path was kept in the inventory',
  }),
  statements: Type.Integer({
    minimum: 0,
    description: 'How many statements about vulnerabilities a bill of materials has; they are kept with the inventory',
  }),
  problems: Type.Array(ScanProblem, { description: 'The first 100 problems' }),
  problemCount: Type.Integer({ minimum: 0, description: 'How many problems there are in all' }),
})
export type ScanFile = Static<typeof ScanFile>

export const Scan = NamedObject('Scan', {
  id: Id,
  repositoryId: Id,
  repository: RepositoryName,
  kind: Kind,
  ref: Type.String({ description: 'Branch or tag that was scanned' }),
  commit: Type.String({ description: 'Commit that was scanned; empty where not known' }),
  pullRequest: Type.Integer({ minimum: 0, description: 'Number of the pull request; 0 for a full scan' }),
  baseRef: Type.String({ description: 'Branch that the pull request goes to; empty for a full scan' }),
  tool: Type.String({ description: 'What made or sent the files' }),
  source: Type.String({
    description:
      'Through which interface it came: gatehouse, github-code-scanning, github-snapshot, dependency-track, semgrep or defectdojo; after a colon, which of several lists of a client it is',
  }),
  isInventory: Type.Boolean({
    description: "Whether it became the repository's inventory: a full scan of its default branch",
  }),
  fileCount: Count,
  dependencyCount: Count,
  findingCount: { ...Count, description: 'How many findings its logs have; those about packages are not in logs' },
  problemCount: Count,
  raisedCount: { ...Count, description: 'How many findings it raised' },
  fixedCount: { ...Count, description: 'How many findings it showed to be fixed' },
  blocked: Type.Boolean({ description: 'Whether an automation or a policy said that this must not go on' }),
  performedAt: Timestamp,
  createdAt: Timestamp,
})
export type Scan = Static<typeof Scan>

export const BlockingFinding = NamedObject('BlockingFinding', {
  id: IdString,
  title: Type.String({ description: 'What it is' }),
  message: Type.String({ description: 'What was found, and what to do' }),
  severity: OneOf(severityNames.all, 'How bad it is'),
  path: Type.String({ description: 'File in the repository; empty where it is in none' }),
  line: Type.Integer({ minimum: 0, description: 'Line, from 1; 0 where unknown' }),
  rule: Type.String({ description: 'Id of the rule that found it' }),
  advisories: Type.Array(Type.String({ description: 'For example CVE-2021-23337' }), {
    description: 'Names of the vulnerability; empty where it is not about a package',
  }),
  dependency: OrNull(
    Type.Object(
      {
        name: Type.String({ description: 'Name of the package' }),
        version: Type.String({ description: 'The version in use' }),
        ecosystem: Type.String({ description: 'For example npm' }),
      },
      { description: 'The package; null where it is about none' },
    ),
  ),
  fixedVersion: Type.String({ description: 'The version to upgrade to; empty where none is known' }),
  because: Type.Array(Type.String({ description: 'Half a sentence' }), { description: 'Why it blocks' }),
  page: Type.String({ description: 'Path of its page in the console, below the address of the server' }),
})
export type BlockingFinding = Static<typeof BlockingFinding>

const PastFirewall = NamedObject('PastFirewall', {
  path: FilePath,
  line: Type.Integer({ minimum: 1, description: 'Line of the first address' }),
  host: Type.String({ description: 'The host, with its port where that is not the usual one' }),
  count: { ...Count, description: 'How many addresses of that host the file has' },
  example: Type.String({ description: 'The first of them, without a login' }),
})

export const NotCompared = named(
  'NotCompared',
  Type.Array(Type.String({ description: 'A source, for example sarif:semgrep, or dependencies' }), {
    description:
      'Of a pull request: what could not be compared with its base, because no full scan of that has it. Scan the base, then repeat the upload',
  }),
)

export const Receipt = NamedObject('Receipt', {
  scan: Scan,
  repeated: Type.Boolean({
    description:
      'The same upload was taken before: this is its receipt. Nothing was changed, unless advisories have changed since: then its packages were compared with them again',
  }),
  createdRepository: Type.Boolean({ description: 'The repository was created by this upload' }),
  files: Type.Array(ScanFile, { description: 'What was read from each file, ordered by path', maxItems: 10_000 }),
  part: Type.String({ description: 'Folder of the repository that was scanned; empty for the whole repository' }),
  removedPaths: Type.Array(FilePath, {
    description: 'Files of the former inventory that this scan no longer has',
    maxItems: 10_000,
  }),
  pastFirewall: Type.Array(PastFirewall, {
    maxItems: 200,
    description:
      'Where lockfiles name hosts that clients ask past the firewall, so that nobody judges what comes from there; empty where no client of the deployment uses the firewall',
  }),
  notCompared: NotCompared,
  repositoryArchived: Type.Boolean({
    description:
      'Whether the repository is archived, when this is answered: the console does not count what is open in it',
  }),
  fixedAdvisoryFindings: Type.Integer({
    minimum: 0,
    description:
      'How many findings about vulnerable or malicious packages count as fixed by this scan: their files no longer have them, or are no longer there',
  }),
  openAdvisoryFindings: Type.Integer({
    minimum: 0,
    description:
      'How many findings about vulnerable or malicious packages are open on this ref, or in this pull request, when this is answered',
  }),
  advisoriesLoaded: Type.Boolean({
    description:
      'Whether any advisories about vulnerabilities are loaded; where none are, no dependency is known to be vulnerable or not',
  }),
  blocked: Type.Boolean({ description: 'An automation or a policy says that this must not go on: let the build fail' }),
  blockedBy: Type.Array(
    Type.Object({ id: IdString, name: Type.String({ description: 'What the automation is called' }) }),
    { description: 'The automations that say so' },
  ),
  blockedByRules: Type.Array(Type.String({ description: 'Id of a rule' }), {
    description: 'Rules in block mode that the pull request has open findings of',
  }),
  blockingFindings: Type.Array(BlockingFinding, {
    maxItems: 100,
    description: 'What has to be settled before it goes on, the worst first; also for tokens that may only upload',
  }),
  blockingFindingCount: { ...Count, description: 'How many of them there are in all' },
})
export type Receipt = Static<typeof Receipt>
