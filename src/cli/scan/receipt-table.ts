import type { Receipt, ScanFile, ScanProblem } from '../../capabilities/scans/contract.ts'

const oddStatus: Partial<Record<ScanFile['status'], string>> = {
  FILE_STATUS_UNREADABLE: 'unreadable',
  FILE_STATUS_UNRECOGNISED: 'not recognised',
}

/** Those that are not always shown are where a file has any. */
const columns: { title: string; of: (file: ScanFile) => number; always?: boolean }[] = [
  { title: 'Dependencies', of: (file) => file.dependencies, always: true },
  { title: 'Findings', of: (file) => file.findings.total },
  { title: 'New', of: (file) => file.findings.raised },
  { title: 'On base', of: (file) => file.findings.inherited },
  { title: 'Not compared', of: (file) => file.findings.undetermined },
  { title: 'Reopened', of: (file) => file.findings.reopened },
  { title: 'Fixed', of: (file) => file.findings.fixed },
  { title: 'Problems', of: (file) => file.problemCount, always: true },
]

/** A receipt for people, who sent it under a name that the repository may no longer have. */
export function receiptTable(receipt: Receipt, asked = receipt.scan.repository): string {
  const numbers = columns.filter(({ of, always }) => always || receipt.files.some((file) => of(file) > 0))
  const rows = receipt.files.map((file) => [
    printable(file.path),
    oddStatus[file.status] ?? file.format,
    ...numbers.map(({ of }) => String(of(file))),
  ])
  const problems = receipt.files.flatMap((file) => problemLines(file))
  const removed = receipt.repeated ? [] : receipt.removedPaths
  const blocks = [
    rows.length > 0 ? table([['File', 'Format', ...numbers.map(({ title }) => title)], ...rows], 2) : '',
    problems.length > 0 ? ['Problems:', ...problems].join('\n') : '',
    removed.map((path) => `No longer there: ${printable(path)}`).join('\n'),
    summary(receipt, asked),
    notCompared(receipt),
    [
      ...receipt.blockedBy.map(({ name }) => `Blocked by the automation '${printable(name)}'.`),
      ...receipt.blockedByRules.map((rule) => `Blocked by the policy: rule '${printable(rule)}'.`),
    ].join('\n'),
  ]
  return blocks.filter(Boolean).join('\n\n')
}

/** Columns from `numbersFrom` on are numbers. */
export function table(rows: readonly string[][], numbersFrom: number): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => [...row[column]!].length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const space = ' '.repeat(widths[column]! - [...cell].length)
          return column < numbersFrom ? cell + space : space + cell
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Files may say anything, also what moves a cursor or turns the direction of writing. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '\ufffd')
}

function problemLines(file: ScanFile): string[] {
  const lines = file.problems.map((problem) => `  ${printable(`${file.path}${placeOf(problem)}: ${problem.detail}`)}`)
  const more = file.problemCount - file.problems.length
  if (more > 0) lines.push(`  ${printable(file.path)}: and ${more} more`)
  if (file.keptPrevious) lines.push(`  ${printable(file.path)}: what an earlier scan read from it was kept`)
  return lines
}

function placeOf({ line, pointer }: ScanProblem): string {
  if (line > 0) return `:${line}`
  return pointer ? ` ${pointer}` : ''
}

const whoseInventory = ': it is that of its default branch, by the latest scan'

const hasDependenciesOfABranch = ({ pullRequest, dependencyCount }: Receipt['scan']) =>
  pullRequest === 0 && dependencyCount > 0

function summary(receipt: Receipt, asked: string): string {
  const { scan, repeated, createdRepository, part, openAdvisoryFindings: open, advisoriesLoaded } = receipt
  const fixed = repeated ? 0 : (receipt.fixedAdvisoryFindings ?? 0)
  const reason = hasDependenciesOfABranch(scan) ? whoseInventory : ''
  const commit = scan.commit ? ` (${scan.commit.slice(0, 12)})` : ''
  const change = scan.pullRequest > 0 ? `, pull request ${scan.pullRequest}` : ''
  const counts = [
    count(scan.fileCount, 'file', 'files'),
    count(scan.dependencyCount, 'dependency', 'dependencies'),
    ...(scan.findingCount > 0 ? [count(scan.findingCount, 'finding', 'findings')] : []),
    count(scan.problemCount, 'problem', 'problems'),
  ]
  const lines = [`Scan ${scan.id} of ${scan.repository} at ${scan.ref}${commit}${change}: ${counts.join(', ')}.`]
  if (scan.repository !== asked) lines.push(`${printable(asked)} is named ${printable(scan.repository)} now.`)
  if (createdRepository && !repeated) lines.push('The repository was created.')
  if (receipt.repositoryArchived) lines.push(isArchived)
  if (repeated) lines.push('The same was uploaded before.')
  else if (scan.isInventory) lines.push('It is now the inventory of the repository.')
  else lines.push(`It was recorded; the inventory of the repository stays as it was${reason}.`)
  // The receipt of an older Gatehouse does not say it.
  if (part) lines.push(`Only ${printable(part)} was looked at: what lies outside of it stays as it was.`)
  if (fixed > 0)
    lines.push(
      `${count(fixed, 'finding', 'findings')} about vulnerable or malicious packages ${fixed === 1 ? 'counts' : 'count'} as fixed.`,
    )
  if (open > 0)
    lines.push(
      `${count(open, 'finding', 'findings')} about vulnerable or malicious packages ${open === 1 ? 'is' : 'are'} open.`,
    )
  // The receipt of an older Gatehouse does not say it.
  if (advisoriesLoaded === false && scan.dependencyCount > 0) lines.push(noAdvisories)
  return lines.join('\n')
}

const isArchived = 'The repository is archived, so the console does not count what is open in it.'

const noAdvisories =
  'No advisories about vulnerabilities are loaded, so no dependency is known to be vulnerable or not. ' +
  'The operator of Gatehouse sets GATEHOUSE_VULNERABILITY_FEED.'

/** What a pull request may have introduced, without anybody knowing. */
function notCompared({ scan, notCompared: sources, files }: Receipt): string {
  if (sources.length === 0) return ''
  const names = sources.map((source) => printable(source.replace(/^sarif:/, ''))).join(', ')
  const left = files.reduce((sum, file) => sum + file.findings.undetermined, 0)
  const became = left > 0 ? ` ${count(left, 'finding was', 'findings were')} not raised.` : ''
  const base = printable(scan.baseRef)
  return (
    `No full scan of ${base}, where the pull request goes, has this yet: ${names}. ` +
    `So nobody can say what of it is new.${became} Scan ${base} once, then run this again.`
  )
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
