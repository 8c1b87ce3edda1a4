import { indexOf, type Loose, list, record, text } from './loose.ts'
import { messageStrings } from './message.ts'
import { type ComponentReference, type Reference, type Rule, readReference, readRule, scalarsOf } from './rule.ts'

/** The driver, an extension or a taxonomy: SARIF §3.19. */
export type Component = {
  name: string
  version: string
  guid: string
  rules: Rule[]
  rulesById: Map<string, Rule>
  rulesByGuid: Map<string, Rule>
  taxa: { id: string; guid: string }[]
  strings: Record<string, string>
}

export type ArtifactLocation = { uri: string; base: string; index: number }
export type LevelOverride = { reference: Reference; level: string }

/** What results of a run refer to: everything of it but its results. */
export type Run = {
  driver: Component
  extensions: Component[]
  taxonomies: Component[]
  artifacts: ArtifactLocation[]
  bases: Map<string, ArtifactLocation>
  /** Where the repository was checked out (§3.23.8), then where the tool worked (§3.20.19). */
  checkouts: ArtifactLocation[]
  workingDirectories: ArtifactLocation[]
  /** By invocation. */
  overrides: LevelOverride[][]
  /** The locations that code flows refer to by index, unread. */
  flowLocations: unknown[]
  logicalNames: string[]
  properties: Loose
  /** Tells runs of one tool apart that stand side by side, for example one for each language; mostly ''. */
  category: string
  failed: boolean
  /** The first error that the tool tells about itself; mostly ''. */
  complaint: string
  /** The first of these that is about no file, so that it may concern all of them; mostly ''. */
  generalComplaint: string
  /** Files that the tool says it could not search to their end. */
  unsearched: ArtifactLocation[]
  /** We have read only a part of it. */
  cutOff: boolean
  hasResults: boolean
  resultsElsewhere: boolean
}

export function emptyRun(): Run {
  return {
    driver: emptyComponent(),
    extensions: [],
    taxonomies: [],
    artifacts: [],
    bases: new Map(),
    checkouts: [],
    workingDirectories: [],
    overrides: [],
    flowLocations: [],
    logicalNames: [],
    properties: {},
    category: '',
    failed: false,
    complaint: '',
    generalComplaint: '',
    unsearched: [],
    cutOff: false,
    hasResults: false,
    resultsElsewhere: false,
  }
}

export function emptyComponent(): Component {
  return {
    name: '',
    version: '',
    guid: '',
    rules: [],
    rulesById: new Map(),
    rulesByGuid: new Map(),
    taxa: [],
    strings: {},
  }
}

/** Takes in one member of a component; returns how many characters it keeps of it. */
export function addToComponent(component: Component, key: string, index: number, value: unknown): number {
  if (key === 'name') component.name = text(value, 200)
  else if (key === 'guid') component.guid = text(value, 100).toLowerCase()
  else if (key === 'version' || key === 'semanticVersion') component.version ||= text(value, 100)
  else if (key === 'globalMessageStrings') {
    component.strings = messageStrings(value)
    return JSON.stringify(component.strings).length
  } else if (key === 'rules') {
    const written = JSON.stringify(readRule(value))
    // Read again, so that no part of it keeps a longer text of the log in memory.
    const rule: Rule = JSON.parse(written)
    component.rules[index] = rule
    if (!component.rulesById.has(rule.id)) component.rulesById.set(rule.id, rule)
    if (rule.guid !== '') component.rulesByGuid.set(rule.guid, rule)
    return written.length
  } else if (key === 'taxa') {
    const taxon = record(value)
    component.taxa[index] = { id: text(taxon.id, 200), guid: text(taxon.guid, 100).toLowerCase() }
    return 100
  }
  return 0
}

export function readArtifactLocation(value: unknown): ArtifactLocation {
  const location = record(value)
  return { uri: text(location.uri, 2000), base: text(location.uriBaseId, 200), index: indexOf(location.index) }
}

export function readOverrides(value: unknown): LevelOverride[] {
  return list(value)
    .slice(0, 2000)
    .map((override) => ({
      reference: readReference(record(override).descriptor),
      level: text(record(record(override).configuration).level, 20),
    }))
}

export function readRunProperties(value: unknown): Loose {
  return scalarsOf(record(value))
}

/** §3.54: by guid, else by index, else by name; the driver where nothing is said. */
export function findComponent(run: Run, reference: ComponentReference): Component | undefined {
  const { guid, index, name } = reference
  const all = [run.driver, ...run.extensions]
  return (
    (guid !== '' && all.find((component) => component.guid === guid)) ||
    (index >= 0 && run.extensions[index]) ||
    (name !== '' && all.find((component) => component.name === name)) ||
    (guid === '' && index < 0 && name === '' ? run.driver : undefined)
  )
}
