import type { Problem } from '../../format.ts'
import { type JsonChoice, type JsonKind, type JsonPart, type JsonPath, readJsonStream } from '../../json/json-stream.ts'
import { entryProblem, fatalProblem, quote } from '../../problem.ts'
import { snippetOf } from './location.ts'
import { list, record, text } from './loose.ts'
import { failureOf, keepNotification } from './notification.ts'
import {
  addToComponent,
  type Component,
  emptyComponent,
  emptyRun,
  type Run,
  readArtifactLocation,
  readOverrides,
  readRunProperties,
} from './run.ts'
import { chooseOfRun } from './selection.ts'

export type Context = { runs: Run[]; problems: Problem[] }

/** Of a log; GitHub takes 20. */
export const maxRuns = 1000
const maxComponents = 1000
/** Names of workflows and jobs, and a matrix of values; the part that tells two jobs apart may come last. */
const maxId = 10_000
/** Of what results refer to; more is left out, with a problem. It bounds the memory that a log can take. */
const maxKept = 48 * 1024 * 1024
const version = '2.1.0'

/** The first walk through a log: everything but its results, so that these can come one by one in whatever order. */
export function readContext(chunks: Iterable<Uint8Array>): Context {
  const problems: Problem[] = []
  const runs: Run[] = []
  const refuse = (problem: Problem): Context => ({ runs: [], problems: [problem] })
  const seen = {
    version: '',
    schema: '',
    object: false,
    runs: '' as JsonKind | '',
    inline: false,
    tooMany: false,
    badResults: '',
    noRuns: false,
  }
  let kept = 0

  function select(path: JsonPath, kind: JsonKind): JsonChoice {
    const [first, index] = path
    if (path.length === 0) {
      seen.object = kind === 'object'
      return seen.object ? 'enter' : 'skip'
    }
    if (first === 'inlineExternalProperties') {
      if (path.length === 4) seen.inline = true
      return kind !== 'scalar' && (path.length < 3 || (path.length === 3 && path[2] === 'results')) ? 'enter' : 'skip'
    }
    if (first !== 'runs') return path.length === 1 && (first === 'version' || first === '$schema') ? 'parse' : 'skip'
    if (path.length === 1) {
      seen.runs = kind
      return kind === 'array' ? 'enter' : kind === 'scalar' ? 'parse' : 'skip'
    }
    if ((index as number) >= maxRuns) {
      seen.tooMany = true
      return 'skip'
    }
    if (path.length === 2) {
      if (kind !== 'object') return 'parse'
      runs[index as number] ??= emptyRun()
      return 'enter'
    }
    if (path[2] === 'results') {
      if (path.length > 3) return 'skip'
      runs[index as number]!.hasResults = kind === 'array'
      if (kind === 'object') seen.badResults = `/runs/${String(index)}/results`
      return kind === 'scalar' ? 'parse' : 'skip'
    }
    return kept > maxKept ? 'skip' : chooseOfRun(path.slice(2), kind)
  }

  for (const part of readJsonStream(chunks, select, problems)) {
    const [first, index] = part.path
    if (first === 'version') {
      seen.version = typeof part.value === 'string' ? part.value : JSON.stringify(part.value)
      if (seen.version !== version) return refuse(wrongVersion(seen.version, part.line))
    } else if (first === '$schema') seen.schema = text(part.value, 500)
    // §3.13.4: null where the runs could not be had.
    else if (first === 'runs' && part.path.length === 1) seen.noRuns = part.value === null
    else if (first === 'runs' && part.path.length === 2) {
      problems.push(entryProblem('bad-run', 'A run must be an object.', part.line, `/runs/${index}`))
    } else if (first === 'runs' && part.path.length === 3 && part.path[2] === 'results') {
      // §3.14.23: null where the tool did not get to scan.
      if (part.value !== null) seen.badResults = `/runs/${index}/results`
    } else if (first === 'runs' && part.path.length > 2) {
      const before = kept
      kept += keep(runs[index as number]!, part)
      if (before <= maxKept && kept > maxKept) {
        const detail = 'The log has too many rules or artifacts; the rest of them is left out.'
        problems.push(entryProblem('too-many-rules', detail, part.line, `/runs/${index}/${String(part.path[2])}`))
      }
    }
  }

  const fatal = problems.find((problem) => problem.fatal)
  if (fatal) return { runs: [], problems }
  if (!seen.object) return refuse(fatalProblem('not-sarif', 'A SARIF log must be a JSON object.', 1))
  if (seen.version === '' && !/sarif.{0,20}2\.1\.0/i.test(seen.schema)) return refuse(noVersion(seen.runs !== ''))
  if (seen.version === '')
    problems.push(entryProblem('missing-version', 'It says its version in $schema alone.', 1, ''))
  if (seen.runs !== 'array' && !seen.noRuns) return refuse(fatalProblem('missing-runs', "It has no list of 'runs'.", 1))
  if (seen.badResults !== '') {
    return refuse(fatalProblem('bad-results', "The 'results' of a run must be a list.", 0, seen.badResults))
  }
  if (seen.tooMany) {
    problems.push(entryProblem('too-many-runs', `Only the first ${maxRuns} runs are read.`, 0, `/runs/${maxRuns}`))
  }
  // What is left out may be of any of these tools, name its files, or say that it failed.
  if (seen.tooMany || seen.inline || kept > maxKept) for (const run of runs) run.cutOff = true
  if (seen.inline) problems.push(elsewhere('inlineExternalProperties', '/inlineExternalProperties'))
  return { runs, problems: [...problems, ...runs.flatMap(runProblems)] }
}

/** Takes a part into the run; returns how many characters it keeps of it. */
function keep(run: Run, { path, value }: JsonPart): number {
  const [, , key, at, name] = path
  switch (key) {
    case 'tool':
      if (at === 'driver') return addToComponent(run.driver, String(name), Number(path[5]), value)
      return addTo(run.extensions, Number(name), path.slice(5), value)
    case 'taxonomies':
      return addTo(run.taxonomies, Number(at), path.slice(4), value)
    case 'artifacts':
      run.artifacts[Number(at)] = readArtifactLocation(value)
      return 100 + run.artifacts[Number(at)]!.uri.length
    case 'threadFlowLocations':
      run.flowLocations[Number(at)] = slimLocation(value)
      return 1_200
    case 'invocations':
      return keepInvocation(run, Number(at), String(name), value)
    case 'logicalLocations': {
      const { fullyQualifiedName, name: short } = record(value)
      run.logicalNames[Number(at)] = text(fullyQualifiedName, 500) || text(short, 500)
      return 50 + run.logicalNames[Number(at)]!.length
    }
    case 'externalPropertyFileReferences':
      if (list(value).length > 0) run.resultsElsewhere = true
      return 0
    case 'originalUriBaseIds':
      for (const [id, base] of Object.entries(record(value)).slice(0, 200))
        run.bases.set(id, readArtifactLocation(base))
      return 0
    case 'versionControlProvenance':
      run.checkouts = list(value)
        .slice(0, 20)
        .map((checkout) => readArtifactLocation(record(checkout).mappedTo))
      return 0
    case 'automationDetails':
      run.category = categoryOf(text(value, maxId))
      return run.category.length
    case 'properties':
      run.properties = readRunProperties(value)
      return 0
    default:
      return 0
  }
}

function addTo(components: Component[], index: number, [key, at]: JsonPath, value: unknown): number {
  if (index >= maxComponents) return 0
  // Without holes, whatever stands between the objects.
  while (components.length <= index) components.push(emptyComponent())
  return addToComponent(components[index]!, String(key), Number(at), value)
}

function keepInvocation(run: Run, index: number, name: string, value: unknown): number {
  if (index >= 1000) return 0
  if (name.endsWith('Notifications')) return keepNotification(run, value)
  while (run.overrides.length <= index) run.overrides.push([])
  if (name === 'executionSuccessful' && value === false) run.failed = true
  if (name === 'workingDirectory' && run.workingDirectories.length < 20) {
    run.workingDirectories.push(readArtifactLocation(value))
  }
  if (name === 'ruleConfigurationOverrides') run.overrides[index] = readOverrides(value)
  return run.overrides[index]!.length * 100
}

/** What kind of run it was, without what tells this run from the next (§3.17.3): all before the last slash. */
function categoryOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('/')))
}

/** A step of a code flow without the texts around it. */
function slimLocation(value: unknown): unknown {
  const { artifactLocation, region } = record(record(value).physicalLocation)
  const { startLine, startColumn, endLine, endColumn } = record(region)
  const snippet = { text: snippetOf(region) }
  const message = { text: text(record(record(value).message).text, 200) }
  const { uri, base, index } = readArtifactLocation(artifactLocation)
  const slim = {
    artifactLocation: { uri, uriBaseId: base, index },
    region: { startLine, startColumn, endLine, endColumn, snippet },
  }
  return { physicalLocation: slim, message }
}

function runProblems(run: Run, index: number): Problem[] {
  const problems: Problem[] = []
  const pointer = `/runs/${index}`
  if (run.resultsElsewhere) problems.push(elsewhere('externalPropertyFileReferences', pointer))
  const failure = failureOf(run)
  if (failure !== '') problems.push(entryProblem('run-failed', failure, 0, `${pointer}/invocations`))
  if (!run.hasResults && !run.resultsElsewhere) {
    problems.push(
      entryProblem('no-results', 'The run has no results, not even an empty list: nothing was scanned.', 0, pointer),
    )
  }
  return problems
}

function elsewhere(what: string, pointer: string): Problem {
  return entryProblem('results-elsewhere', `Results given through '${what}' are not read.`, 0, pointer)
}

function wrongVersion(written: string, line: number): Problem {
  const detail = `SARIF ${quote(written, 40)} is not supported, only ${version}: have the tool write ${version} or convert the log.`
  return fatalProblem('unsupported-version', detail, line, '/version')
}

function noVersion(hasRuns: boolean): Problem {
  return hasRuns
    ? fatalProblem('missing-version', `It does not say its version; only SARIF ${version} is read.`, 1, '/version')
    : fatalProblem('not-sarif', "It has neither a 'version' nor 'runs'.", 1)
}
