import { findDeployment } from '../../capabilities/deployments/public.ts'
import { ignoredToolIds, toolIdsOf } from '../../capabilities/findings/public.ts'
import { listFiles } from '../../capabilities/inventory/public.ts'
import { findNamed } from '../../capabilities/repositories/public.ts'
import type { Receipt } from '../../capabilities/scans/contract.ts'
import { NewScan } from '../../capabilities/scans/contract.ts'
import type { Completeness } from '../../capabilities/scans/public.ts'
import type { ScanService } from '../../capabilities/scans/service.ts'
import { advisoriesInUse } from '../../capabilities/vulnerabilities/public.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import { validate } from '../../kernel/contract/validate.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { advisoryRule, lockfileRules } from './advisory-rules.ts'
import type { NewSemgrepScan } from './contract.ts'
import { decide } from './decision.ts'
import type { ResultsParts } from './results-parts.ts'
import type { ResultsPool } from './results-pool.ts'
import { rulesInForce } from './rules.ts'
import * as store from './store.ts'
import { type Target, targetOf } from './target.ts'

/** What the findings of `semgrep ci` are kept as. */
const source = 'sarif:semgrep:ci'
const resultsName = 'semgrep-results.json'
const mostAdvisoryRules = 2_000
const mostIgnored = 10_000
const keptMs = 30 * 86_400_000

export type SemgrepRuns = ReturnType<typeof createSemgrepRuns>

type Parts = {
  db: Database
  clock: Clock
  pool: ResultsPool
  publicUrl: string
  scans: Pick<ScanService, 'upload' | 'getReceipt'>
}

/** Runs of `semgrep ci`: what they scan, the rules they get, what they found, and whether that blocks. */
export function createSemgrepRuns({ db, clock, pool, publicUrl, scans }: Parts) {
  async function start(actor: Actor, { scan_metadata: scan, project_metadata: project }: NewSemgrepScan) {
    const target = targetOf(project, scan.cli_version)
    newScan(target, 'main')
    const now = clock.now()
    const run = await db.transaction(actor, async (tx) => {
      await store.removeOldRuns(tx, new Date(now.getTime() - keptMs))
      return store.beginRun(tx, scan.unique_id, target, now)
    })
    const deployment = await findDeployment(db.as(actor))
    const wanted = scan.requested_products
    const products = (['sast', 'sca'] as const).filter((one) => wanted.length === 0 || wanted.includes(one))
    const info = { enabled_products: products, deployment_id: actor.deploymentId, deployment_name: deployment!.slug }
    return { run, info: scan.dry_run ? info : { id: run.id, ...info } }
  }

  async function create(actor: Actor, wanted: NewSemgrepScan) {
    const { info } = await start(actor, wanted)
    return { info }
  }

  async function createWithConfig(actor: Actor, wanted: NewSemgrepScan) {
    const { run, info } = await start(actor, wanted)
    // These clients tell of packages with their results, and only if they are told to.
    return { info, ...(await configOf(actor, run.target)), engine_params: { dependency_query: true } }
  }

  async function getConfig(actor: Actor, requestId: string) {
    const run = await store.findRunByRequest(db.as(actor), requestId)
    if (!run) throw new Fault('not_found', `No run '${requestId}' has begun.`)
    return { status: 'success' as const, ...(await configOf(actor, run.target)) }
  }

  async function configOf(actor: Actor, target: Target) {
    const read = db.as(actor)
    const repository = await findNamed(read, actor, target.repository)
    const [own, advisories, ignored] = await Promise.all([
      rulesInForce(read),
      advisoriesInUse(read, repository?.id ?? 0, mostAdvisoryRules),
      repository ? ignoredIn(read, repository, target) : [],
    ])
    const made = advisories.map(advisoryRule).filter((rule) => rule !== undefined)
    const rules = [...own, ...lockfileRules, ...made]
    return {
      config: { rules: { rules }, triage_ignored_syntactic_ids: [], triage_ignored_match_based_ids: ignored },
      engine_params: { dependency_query: false },
    }
  }

  async function results(actor: Actor, id: number, document: ReceivedFile) {
    const run = await find(db.as(actor), id)
    const { target } = run
    const parts = await pool.take(actor.deploymentId, document)
    const scan = newScan(target, await baseOf(actor, target))
    const receipt = await scans.upload(actor, scan, [{ ...document, name: resultsName }], {
      source: 'semgrep',
      run: String(id),
      completeness: completenessOf(target, parts),
      sendsNewOnly: !target.whole,
    })
    await db.transaction(actor, (tx) => store.noteFindings(tx, id, receipt.scan.id))
    // Clients before 2025 tell of packages here, and only later of lockfiles that they could not read.
    if (parts.lockfiles.length > 0)
      await takePackages(actor, run, document, parts, await keptFiles(actor, target, document))
    return { errors: warnings(receipt) }
  }

  async function complete(actor: Actor, id: number, document: ReceivedFile) {
    const run = await find(db.as(actor), id)
    if (run.findingsScanId === null) throw new Fault('unprocessable', 'The results of this run have not come yet.')
    const parts = await pool.take(actor.deploymentId, document)
    if (await changesPackages(actor, run.target, parts)) await takePackages(actor, run, document, parts, parts.unread)
    const { packagesScanId } = await find(db.as(actor), id)
    const ids = [run.findingsScanId, ...(packagesScanId === null ? [] : [packagesScanId])]
    const receipts = await Promise.all(ids.map((scanId) => scans.getReceipt(actor, scanId)))
    const { reason, findings } = decide(receipts, publicUrl)
    const named = await toolIdsOf(
      db.as(actor),
      findings.map((finding) => Number(finding.id)),
    )
    return {
      success: true,
      app_block_override: reason !== '',
      app_block_reason: reason,
      app_blocking_match_based_ids: named.flatMap(numbered),
    }
  }

  /** What is told of lockfiles that could not be read is not read here either: they stay in the inventory as they were. */
  async function takePackages(
    actor: Actor,
    { id, target }: store.RunRow,
    document: ReceivedFile,
    { lockfiles }: ResultsParts,
    unread: ResultsParts['unread'],
  ): Promise<void> {
    const told = new Map([...unread, ...lockfiles].map((file) => [file.name, file]))
    const files = [...told.values()].map(({ digest, ...range }) => ({
      ...document,
      ...range,
      digest: Buffer.from(digest, 'hex'),
    }))
    const scan = { ...newScan(target, await baseOf(actor, target)), allowEmpty: true }
    const receipt = await scans.upload(actor, scan, files, { source: 'semgrep', run: String(id) })
    await db.transaction(actor, (tx) => store.notePackages(tx, id, receipt.scan.id))
  }

  /** Also where the last lockfile is gone; not where there never was one, nor where none could be read. */
  async function changesPackages(actor: Actor, target: Target, { lockfiles, unread, tellsPackages }: ResultsParts) {
    if (lockfiles.length > 0 || !tellsPackages || unread.length > 0 || !target.whole) return lockfiles.length > 0
    return target.pullRequest === 0 && (await knownFiles(actor, target)).length > 0
  }

  /** The files that stand, each with a text that no reader takes, so that it stays. */
  async function keptFiles(actor: Actor, target: Target, { start, digest }: ReceivedFile) {
    const files = await knownFiles(actor, target)
    return files.map((name) => ({ name, start, bytes: 1, digest: digest.toString('hex') }))
  }

  async function knownFiles(actor: Actor, { repository }: Target): Promise<string[]> {
    const known = await findNamed(db.as(actor), actor, repository)
    const files = known ? await listFiles(db.as(actor), known.id) : []
    return files.filter((file) => file.source === 'semgrep').map(({ path }) => path.slice('@semgrep/'.length))
  }

  async function fail(actor: Actor, id: number, exitCode: number) {
    const noted = await db.transaction(actor, (tx) => store.noteFailure(tx, id, exitCode))
    if (!noted) throw noRun(id)
    return {}
  }

  /** Semgrep does not say which branch a pull request goes to. */
  async function baseOf(actor: Actor, { repository }: Target): Promise<string> {
    const known = await findNamed(db.as(actor), actor, repository)
    return known?.defaultBranch ?? 'main'
  }

  return { create, createWithConfig, getConfig, results, complete, fail }
}

async function find(db: Queryable, id: number): Promise<store.RunRow> {
  const run = await store.findRun(db, id)
  if (!run) throw noRun(id)
  return run
}

function noRun(id: number): Fault {
  return new Fault('not_found', `No run ${id} of semgrep ci has begun.`)
}

async function ignoredIn(
  db: Queryable,
  { id: repositoryId, defaultBranch }: { id: number; defaultBranch: string },
  { ref, pullRequest }: Target,
): Promise<string[]> {
  const refs = [defaultBranch, ref.replace(/^refs\/heads\//, '')]
  const ignored = await ignoredToolIds(db, { repositoryId, source, pullRequest, refs }, mostIgnored)
  return ignored.flatMap(numbered)
}

/** Semgrep counts those that are equal behind their id, from 0. */
function numbered({ toolId, count }: { toolId: string; count: number }): string[] {
  return Array.from({ length: Math.min(count, 1_000) }, (_, at) => `${toolId}_${at}`)
}

/** The same text everywhere: what ended by it once and came back does not end by it again. */
const whyEnded = 'Its file was not searched by this scan: it was deleted, or is excluded now.'

/**
 * Only what these rules no longer find in these files is fixed. A file of a branch that is not among them was deleted or is excluded:
 * the client does not say which, so what it had ends. What is not among those that differ from the base of a pull request is as
 * it is there, so nothing of it is of the pull request.
 */
function completenessOf({ whole, pullRequest }: Target, { rules, searched, skipped }: ResultsParts): Completeness {
  const [ran, looked, failed] = [new Set(rules), new Set(searched), new Set(skipped)]
  type Place = { ruleId: string; path: string }
  const isKnown = ({ ruleId, path }: Place) => ran.has(ruleId) && !failed.has(path)
  const isUnsearched = (finding: Place) => isKnown(finding) && !looked.has(finding.path)
  // A run that searched nothing at all was told to, or went wrong.
  const tellsOfBranch = whole && pullRequest === 0 && searched.length > 0
  return {
    closes: whole || pullRequest > 0,
    covers: (finding) => isKnown(finding) && (looked.has(finding.path) || !whole),
    ends: tellsOfBranch ? { covers: isUnsearched, why: whyEnded } : undefined,
  }
}

function newScan(target: Target, baseRef: string): NewScan {
  const { repository, ref, commit, pullRequest, client } = target
  const about = { repository, ref, commit, tool: client.slice(0, 200) }
  const scan: NewScan =
    pullRequest > 0
      ? { ...about, kind: 'SCAN_KIND_PULL_REQUEST', pullRequest, baseRef }
      : { ...about, kind: 'SCAN_KIND_FULL' }
  const errors: FieldError[] = []
  validate(NewScan, scan, '', errors)
  if (errors.length > 0) throw new Fault('unprocessable', 'What Semgrep says it scans cannot be taken.', { errors })
  return scan
}

const mostWarnings = 20

/** Shown to whoever runs Semgrep. */
function warnings({ files }: Receipt): { message: string }[] {
  const problems = files.flatMap((file) => file.problems)
  return problems.slice(0, mostWarnings).map(({ detail }) => ({ message: detail }))
}
