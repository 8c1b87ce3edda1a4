import { toPath } from './file-path.ts'
import { list, oneLine, positive, record, text } from './loose.ts'
import { messageText } from './message.ts'
import { type ArtifactLocation, type Run, readArtifactLocation } from './run.ts'

/** Files beyond these make the whole run one that did not get to its end. */
const mostUnsearched = 10_000

/**
 * What a tool says went wrong with itself (§3.58). By §3.58.6 an error means that the results are incorrect or incomplete, whatever
 * `executionSuccessful` says: Bandit and CodeQL write true there beside a file that they could not parse, Semgrep beside one that
 * it did not find. Where the error names files, only these were not searched. Warnings come with most runs. Answers how many
 * characters are kept.
 */
export function keepNotification(run: Run, value: unknown): number {
  const { level, message, locations, descriptor } = record(value)
  const said = messageText(record(message), [])
  if (level !== 'error') {
    const path = level === 'warning' ? pathNotSearched(text(record(descriptor).id, 100), said) : ''
    return path === '' ? 0 : keepUnsearched(run, [{ uri: asUri(path), base: '', index: -1 }])
  }
  const physical = list(locations).map((location) => record(record(location).physicalLocation))
  const files = physical
    .map((place) => readArtifactLocation(place.artifactLocation))
    .filter(({ uri, index }) => uri !== '' || index >= 0)
  const complaint = oneLine(said, 300) + placeOf(files[0], physical[0])
  run.complaint ||= complaint
  if (files.length === 0) run.generalComplaint ||= complaint || 'it does not say which.'
  return complaint.length + keepUnsearched(run, files)
}

/** Tools that call a run failed exactly if they tell of an error, and go on to the next file after one that is about a file. */
const failsByFile = /^(eslint|pmd)$/i

/** CodeQL tells so of packages that it did not find, in each of its runs. One that fails says that it failed. */
const goesOn = /^codeql\b/i

/** Why a run failed as a whole, or may have found less than there is, and not in some of its files alone; '' where it did not. */
export function failureOf({ failed, driver, unsearched, complaint, generalComplaint }: Run): string {
  const onlyFiles = unsearched.length > 0 && generalComplaint === '' && failsByFile.test(driver.name)
  if (failed && !onlyFiles)
    return `The tool says that it did not run to its end${complaint === '' ? '.' : `: ${complaint}`}`
  if (generalComplaint === '' || goesOn.test(driver.name)) return ''
  return `The tool tells of an error, so what it found may not be all: ${generalComplaint}`
}

function keepUnsearched(run: Run, files: readonly ArtifactLocation[]): number {
  const room = mostUnsearched - run.unsearched.length
  if (files.length > room) run.cutOff = true
  const kept = files.slice(0, room)
  run.unsearched.push(...kept)
  return kept.reduce((sum, { uri }) => sum + 100 + uri.length, 0)
}

function placeOf(file: ArtifactLocation | undefined, physical: { region?: unknown } | undefined): string {
  const line = positive(record(physical?.region).startLine)
  const place = [file ? toPath(file.uri) : '', ...(line > 0 ? [`line ${line}`] : [])].filter(Boolean).join(', ')
  return place && ` (${place})`
}

const gaveUp = /^(?:Timeout|Out of memory|Stack overflow|Too many matches|Fixpoint timeout|Internal matching error)$/

/**
 * Of rules that gave up on a file, Semgrep and Opengrep warn, and name the file in words only: `Timeout when running RULE on PATH:`, or
 * `Out of memory at line PATH:1:`.
 */
function pathNotSearched(kind: string, said: string): string {
  const line = said.split('\n', 1)[0]!.trimEnd().replace(/:$/, '')
  if (!gaveUp.test(kind) || !line.startsWith(`${kind} `)) return ''
  const where = line.slice(kind.length + 1)
  const rule = /^when running \S+ on /.exec(where)?.[0]
  if (rule) return where.slice(rule.length)
  return where.startsWith('at line ') ? where.slice('at line '.length).replace(/:\d{1,9}$/, '') : ''
}

/** The kinds of Semgrep's errors after which it has not searched a file, or not by all rules; as its JSON names them. */
export function stopsSearching(kind: string): boolean {
  return gaveUp.test(kind) || /^(?:Lexical|Syntax|Other syntax|AST builder) error$/.test(kind)
}

function asUri(path: string): string {
  return path.replaceAll('%', '%25')
}
