import { categoryOf } from './classify/category.ts'
import { confidenceOf } from './classify/confidence.ts'
import { dependencyOf, fixedVersionOf, reachabilityOf } from './classify/dependency.ts'
import { levelOf } from './classify/level.ts'
import { otherIdsOf } from './classify/other-ids.ts'
import { productOf } from './classify/product.ts'
import { createMask, maskQuoted, secretHint, secretText, showsSecret, validityOf } from './classify/secret.ts'
import { severityOf } from './classify/severity.ts'
import { isSuppressed, suppressionsOf } from './classify/suppression.ts'
import { titleOf } from './classify/title.ts'
import { toolFamily } from './classify/tool.ts'
import { cwesOf, owaspOf, vulnerabilityIdsOf } from './classify/weakness.ts'
import type { Finding } from './finding.ts'
import { sentNames } from './identity/content.ts'
import { type createFingerprinter, stableFingerprint } from './identity/fingerprint.ts'
import type { Evidence } from './log/evidence.ts'
import { createLocations, type Locations, logicalNames, snippetOf } from './log/location.ts'
import { type Loose, list, positive, record, text } from './log/loose.ts'
import { messageText } from './log/message.ts'
import { type Rule, readReference, readTags, scalarsOf } from './log/rule.ts'
import { findRule } from './log/rule-lookup.ts'
import type { Run } from './log/run.ts'

export type ReadOptions = {
  /** The folder of the repository where the tool ran: absolute paths below it become relative. */
  root?: string
  /** Stays inside, and stays the same: see `fingerprint.ts` on what it does for secrets. */
  identityKey?: Uint8Array
  /** Told of each run, in their order, before its first finding. */
  onRun?: (run: RunSummary) => void
}

/** What a run amounts to, also where it found nothing. */
export type RunSummary = {
  /** The tool that ran, by one name for all its editions. */
  tool: string
  category: string
  /** It ran to its end and all it found is in the log: what is not in it is not there. */
  complete: boolean
  /** But for these files, which it could not search to their end: nobody knows what is in them. */
  unsearched: readonly string[]
}

const maxLocations = 100

/** Makes findings of the results of one run; `fingerprint` is shared by the runs of a log. */
export function createResultReader(
  run: Run,
  options: ReadOptions,
  fingerprint: ReturnType<typeof createFingerprinter>,
): (result: Loose, pointer: string, line: number) => Finding {
  const places = createLocations(run, options.root)
  const family = toolFamily(run.driver.name)

  return (result, pointer, line) => {
    const found = findRule(run, result)
    const { rule } = found
    const strings = [rule?.messages ?? {}, found.component.strings, run.driver.strings]
    const written = places.inText(messageText(record(result.message), strings))
    const properties = record(result.properties)
    const taxa = [...list(result.taxa).slice(0, 50).map(readReference), ...(rule?.taxa ?? [])]
    const locations = list(result.locations)
      .slice(0, maxLocations)
      .map(places.finding)
      .filter(({ path, startLine }) => path !== '' || startLine > 0)
    const evidence: Evidence = {
      family,
      // Gitleaks 7 names the rule in the message alone.
      ruleId: found.id || (family.id === 'gitleaks' ? (/^(.{1,200}) secret detected$/.exec(written)?.[1] ?? '') : ''),
      rule,
      level: levelOf(result, found, run),
      message: written,
      tags: [...readTags(properties.tags), ...(rule?.tags ?? [])],
      result: scalarsOf(properties),
      run: run.properties,
      logicalNames: logicalNames(run, result),
      paths: locations.map(({ path }) => path),
    }
    const product = productOf(evidence)
    const cwes = cwesOf(evidence, taxa, run)
    const suppressions = suppressionsOf(result.suppressions)
    const finding: Finding = {
      tool: { name: run.driver.name, version: run.driver.version },
      ruleId: evidence.ruleId,
      ruleName: rule?.name ?? '',
      title: '',
      message: written || rule?.description || rule?.title || rule?.name || evidence.ruleId,
      product,
      category: categoryOf(evidence, product, cwes.length),
      severity: severityOf(evidence),
      level: evidence.level,
      confidence: confidenceOf(evidence),
      cwes,
      owasp: owaspOf(evidence, taxa, run),
      vulnerabilityIds: vulnerabilityIdsOf(evidence, product),
      suppressed: isSuppressed(suppressions),
      suppressions,
      baselineState: baselineOf(result.baselineState),
      locations,
      logicalLocations: [...evidence.logicalNames],
      ...flowOf(result, places),
      surroundings: surroundingsOf(list(result.locations)[0]),
      ruleHelp: { description: rule?.description ?? '', text: rule?.help ?? '', uri: rule?.helpUri ?? '' },
      fixedVersion: product === 'sca' ? fixedVersionOf(evidence) : '',
      fingerprints: readFingerprints(result.fingerprints),
      partialFingerprints: readFingerprints(result.partialFingerprints),
      fingerprint: '',
      context: '',
      formerGroup: '',
      otherGroups: [],
      lacksCode: false,
      hidesSecret: false,
      secretHint: '',
      dependency: product === 'sca' ? dependencyOf(evidence) : null,
      reachability: product === 'sca' ? reachabilityOf(evidence) : '',
      validity: product === 'secrets' ? validityOf(evidence) : '',
      pointer,
      line,
    }
    const physical = record(record(list(result.locations)[0]).physicalLocation)
    const snippet = snippetOf(physical.region)
    const shows = showsSecret(product, cwes, evidence.ruleId, evidence.tags)
    const secret = shows ? secretText(evidence, snippet) : ''
    // Before the fingerprints are masked, for with a key even a secret's own hash may take part.
    const given = stableFingerprint(finding.fingerprints, finding.partialFingerprints)
    const sent = {
      code: finding.partialFingerprints[sentNames.code] ?? '',
      around: finding.partialFingerprints[sentNames.around] ?? '',
    }
    if (shows) hideSecret(finding, { secret, careful: family.product === 'secrets' }, result, rule)
    else finding.title = titleOf(finding, rule)
    const known = fingerprint({
      tool: family.id,
      finding,
      path: locations[0]?.path ?? '',
      line: locations[0]?.startLine ?? 0,
      stable:
        shows && !options.identityKey ? stableFingerprint(finding.fingerprints, finding.partialFingerprints) : given,
      text: shows ? secret : snippet,
      secret: shows,
      around: snippetOf(physical.contextRegion),
      sent,
      otherIds: otherIdsOf(evidence, product, finding.vulnerabilityIds),
    })
    return Object.assign(finding, known)
  }
}

/** Takes the secret out of everything that is shown or stored. `careful`: the tool is about secrets and does not quote them. */
function hideSecret(
  finding: Finding,
  { secret, careful }: { secret: string; careful: boolean },
  result: Loose,
  rule: Rule | undefined,
): void {
  const commits = [finding.partialFingerprints.commitSha, text(record(result.properties).commit, 100)]
  const paths = finding.locations.map(({ path }) => path)
  const hide = createMask(
    [secret, ...finding.locations.slice(0, 20).map(({ snippet }) => snippet)],
    [...commits.map((commit) => commit ?? ''), ...paths, finding.ruleId, finding.ruleName],
  )
  finding.message = careful ? hide(finding.message) : maskQuoted(hide(finding.message))
  // Tools that hide it themselves write a star for each of its characters, which may be very many.
  finding.title = hide(titleOf(finding, rule)).replace(/\*{5,}…?/g, '****')
  finding.secretHint = secretHint(secret)
  for (const location of [...finding.locations, ...finding.flow]) location.snippet = ''
  for (const step of finding.flow) step.message = maskQuoted(hide(step.message))
  finding.surroundings = null
  // Scanners of images write what they matched into the help of a rule.
  finding.ruleHelp = { ...finding.ruleHelp, description: '', text: '' }
  finding.logicalLocations = finding.logicalLocations.map(hide)
  for (const suppression of finding.suppressions) suppression.justification = hide(suppression.justification)
  for (const prints of [finding.fingerprints, finding.partialFingerprints]) {
    for (const [name, value] of Object.entries(prints)) {
      if (/secret/i.test(name) || (secret !== '' && value.includes(secret))) delete prints[name]
    }
  }
}

function readFingerprints(value: unknown): Record<string, string> {
  const read: Record<string, string> = {}
  for (const [name, written] of Object.entries(record(value)).slice(0, 50)) {
    // Black Duck wraps the value.
    const print = text(written, 500) || text(record(written).value, 500)
    if (print !== '' && name !== '__proto__') read[text(name, 200)] = print
  }
  return read
}

const baselineStates = new Set<unknown>(['new', 'unchanged', 'updated', 'absent'])

function baselineOf(value: unknown): Finding['baselineState'] {
  return baselineStates.has(value) ? (value as Finding['baselineState']) : ''
}

const maxSteps = 50

/** The first thread of the first flow (§3.36): the others are variations of it. */
function flowOf(result: Loose, places: Locations): Pick<Finding, 'codeFlow' | 'flow'> {
  const thread = list(record(list(result.codeFlows)[0]).threadFlows)[0]
  const written = list(record(thread).locations)
  if (written.length === 0) return { codeFlow: null, flow: [] }
  const kept = written.length > maxSteps ? [...written.slice(0, maxSteps - 1), written.at(-1)] : written
  const flow = kept.map(places.step)
  const ends = [flow[0]!, flow.at(-1)!].map(({ snippet: _, message: __, ...place }) => place)
  return { codeFlow: { steps: written.length, first: ends[0]!, last: ends[1]! }, flow }
}

const maxSurroundings = 2_000

function surroundingsOf(location: unknown): Finding['surroundings'] {
  const region = record(record(record(location).physicalLocation).contextRegion)
  const startLine = positive(region.startLine)
  const code = text(record(region.snippet).text, maxSurroundings)
  return startLine > 0 && code !== '' ? { startLine, text: code } : null
}
