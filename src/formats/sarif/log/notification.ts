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
  const physical = list(locations)
    .slice(0, 100)
    .map((location) => record(record(location).physicalLocation))
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

/** Whether the run failed as a whole, and not in some of its files alone. */
export function hasFailed({ failed, driver, unsearched, generalComplaint }: Run): boolean {
  const onlyFiles = unsearched.length > 0 && generalComplaint === '' && failsByFile.test(driver.name)
  return failed && !onlyFiles
}

function keepUnsearched(run: Run, files: readonly ArtifactLocation[]): number {
  const room = mostUnsearched - run.unsearched.length
  if (files.length > room) run.generalComplaint ||= `more than ${mostUnsearched} files could not be searched.`
  const kept = files.slice(0, room)
  run.unsearched.push(...kept)
  return kept.reduce((sum, { uri }) => sum + 100 + uri.length, 0)
}

function placeOf(file: ArtifactLocation | undefined, physical: { region?: unknown } | undefined): string {
  const line = positive(record(physical?.region).startLine)
  const place = [file ? toPath(file.uri) : '', ...(line > 0 ? [`line ${line}`] : [])].filter(Boolean).join(', ')
  return place && ` (${place})`
}

const semgrepKinds = 'Timeout|Out of memory|Stack overflow|Too many matches|Fixpoint timeout|Internal matching error'
const semgrepKind = new RegExp(`^(?:${semgrepKinds})$`)
const semgrepPlace = new RegExp(`^(?:${semgrepKinds}) (?:when running \\S+ on (.+?)|at line (.+?):\\d+):?\\s*$`)

/** Of rules that gave up on a file, Semgrep and Opengrep warn, and name the file in words only. */
function pathNotSearched(kind: string, said: string): string {
  if (!semgrepKind.test(kind)) return ''
  const [, path, where] = semgrepPlace.exec(said.split('\n', 1)[0]!) ?? []
  return path ?? where ?? ''
}

/** The kinds of Semgrep's errors after which it has not searched a file, or not by all rules; as its JSON names them. */
export function stopsSearching(kind: string): boolean {
  return semgrepKind.test(kind) || /^(?:Lexical|Syntax|Other syntax|AST builder) error$/.test(kind)
}

function asUri(path: string): string {
  return path.replaceAll('%', '%25')
}
