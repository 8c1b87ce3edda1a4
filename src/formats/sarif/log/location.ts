import type { FindingLocation, FlowStep, SourceRange } from '../finding.ts'
import { below, isAbsolute, join, toPath } from './file-path.ts'
import { indexOf, list, oneLine, positive, record, text } from './loose.ts'
import { type ArtifactLocation, type Run, readArtifactLocation } from './run.ts'

const maxSnippet = 500
const maxStepMessage = 200
const maxBaseDepth = 10
/** What tools call the root of the sources, the widest first, for logs that do not say where the checkout was. */
const rootNames = ['REPOROOT', 'PROJECTROOT', 'SRCROOT', '%SRCROOT%', 'ROOTPATH', 'ROOT']

export type Locations = {
  path(location: ArtifactLocation): string
  place(location: unknown): SourceRange
  finding(location: unknown): FindingLocation
  step(written: unknown): FlowStep
  /** A text in which files below the roots are named by their paths in the repository. */
  inText(text: string): string
}

/** `root`: the folder of the repository where the tool ran, if the caller knows it. */
export function createLocations(run: Run, root = ''): Locations {
  const roots = findRoots(run, root)
  /** Results of one file follow one another in most logs. */
  let last: ArtifactLocation = { uri: '', base: '', index: -1 }
  let lastPath = ''

  function path(written: ArtifactLocation): string {
    if (written.uri !== last.uri || written.base !== last.base || written.index !== last.index) {
      lastPath = resolve(written)
      last = written
    }
    return lastPath
  }

  function resolve(written: ArtifactLocation): string {
    const location = written.uri === '' && written.base === '' ? (run.artifacts[written.index] ?? written) : written
    if (location.uri === '' && location.base === '') return ''
    const own = toPath(location.uri)
    const base = isAbsolute(own) ? '' : basePath(run, location.base)
    const whole = join(base, own)
    if (!isAbsolute(whole)) return whole
    for (const folder of roots) {
      const relative = below(folder, whole)
      if (relative !== undefined) return relative
    }
    return base === '' ? whole : own
  }

  function place(location: unknown): SourceRange {
    const physical = record(record(location).physicalLocation)
    const region = record(physical.region)
    const startLine = positive(region.startLine)
    return {
      path: path(readArtifactLocation(physical.artifactLocation)),
      startLine,
      startColumn: positive(region.startColumn),
      // §3.30.7: a region without an end line ends on the line on which it starts.
      endLine: Math.max(positive(region.endLine), startLine),
      endColumn: positive(region.endColumn),
    }
  }

  function finding(location: unknown): FindingLocation {
    const physical = record(record(location).physicalLocation)
    return { ...place(location), snippet: snippetOf(physical.region) || snippetOf(physical.contextRegion) }
  }

  /** A step of a thread flow (§3.38), itself or by its index among those of the run. */
  function step(written: unknown): FlowStep {
    const { location, index } = record(written)
    const there = record(location ?? run.flowLocations[indexOf(index)])
    const said = text(record(there.message).text, maxStepMessage)
    return { ...finding(there), message: inText(oneLine(said, maxStepMessage)) }
  }

  const mentions = roots.filter((folder) => folder.length > 1).map((folder) => ({ folder, pattern: mentionOf(folder) }))

  function inText(text: string): string {
    let relative = text
    for (const { folder, pattern } of mentions) {
      if (relative.includes(folder)) relative = relative.replace(pattern, '$1')
    }
    return relative
  }

  return { path, place, finding, step, inText }
}

/** A path below the folder, at the start of a word: `/src` is not a folder in `my/src/a.js`. */
function mentionOf(folder: string): RegExp {
  const tail = folder.endsWith('/') ? '' : '/'
  // The client runs this on Node 20, which has no RegExp.escape.
  const escaped = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(^|[\\s'"\`(<[=,:])(?:file://)?${escaped}${tail}`, 'g')
}

export function snippetOf(region: unknown): string {
  const snippet = text(record(record(region).snippet).text, maxSnippet)
  // What Semgrep writes instead of the code for those who are not signed in.
  return snippet === 'requires login' ? '' : snippet
}

export function logicalNames(run: Run, result: { locations?: unknown }): string[] {
  const names = new Set<string>()
  for (const location of list(result.locations).slice(0, 20)) {
    for (const logical of list(record(location).logicalLocations).slice(0, 20)) {
      const { fullyQualifiedName, name, index } = record(logical)
      const known = typeof index === 'number' ? run.logicalNames[index] : ''
      const shown = text(fullyQualifiedName, 500) || known || text(name, 500)
      if (shown !== '' && names.size < 20) names.add(shown)
    }
  }
  return [...names]
}

function findRoots(run: Run, root: string): string[] {
  const written = [
    { uri: root, base: '', index: -1 },
    ...run.checkouts,
    ...rootNames.map((base) => ({ uri: '', base, index: -1 })),
    ...run.workingDirectories,
  ]
  const paths = written.map((location) =>
    join(basePath(run, location.base), location.uri === '' ? '' : toPath(location.uri)),
  )
  return [...new Set(paths.filter(isAbsolute))]
}

/** The folder that a uriBaseId stands for, through the bases it builds on (§3.14.14); '' where the log does not say. */
function basePath(run: Run, id: string, depth = 0): string {
  const base = run.bases.get(id)
  if (!base || depth > maxBaseDepth) return ''
  const own = toPath(base.uri)
  return isAbsolute(own) ? own : join(basePath(run, base.base, depth + 1), own)
}
