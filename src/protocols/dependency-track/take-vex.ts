import type { BulkTriage } from '../../capabilities/findings/contract.ts'
import { type DependencyDecision, listDependencyDecisions } from '../../capabilities/findings/public.ts'
import type { Findings } from '../../capabilities/findings/service.ts'
import { ecosystems, mayBeSpelled } from '../../ecosystems/registry.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { VexUpload } from './contract.ts'
import { stableUuid } from './project-uuid.ts'
import type { Projects } from './projects.ts'
import { type Analysis, readVex } from './vex.ts'

type Parts = { db: Database; projects: Projects; findings: Pick<Findings, 'triageMany'> }

const ignoring = 'TRIAGE_STATE_IGNORED'

/** What each state of CycloneDX becomes. Of what is resolved a later upload tells. */
const decisions: Record<string, Pick<BulkTriage, 'triageState' | 'triageReason'>> = {
  not_affected: { triageState: ignoring, triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK' },
  false_positive: { triageState: ignoring, triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' },
  in_triage: { triageState: 'TRIAGE_STATE_REVIEWING' },
  exploitable: { triageState: 'TRIAGE_STATE_FIXING' },
}
const mostNotes = 1_000

/** Analyses become decisions of the caller on what stands on the default branch; what is not taken is said. */
export function createVexUpload({ db, projects, findings }: Parts) {
  return async (actor: Actor, body: VexUpload, [file]: readonly ReceivedFile[]) => {
    if (!file) throw new Fault('malformed_request', "Send a CycloneDX document as 'vex'.")
    const project = body.project
      ? await projects.withUuid(actor, body.project)
      : await projects.named(actor, body.projectName ?? '', body.projectVersion ?? '')
    if (!project.isDefaultBranch) {
      const detail = `Decisions are made about the default branch; '${project.version}' takes them over from there.`
      throw new Fault('unprocessable', detail)
    }
    const known = await listDependencyDecisions(db.as(actor), project.repositoryId)
    const notTaken: string[] = []
    let decided = 0
    for (const analysis of readVex(file)) {
      const { wanted, why } = choose(known, analysis)
      notTaken.push(...why)
      if (wanted.length === 0) continue
      const findingIds = wanted.map(({ id }) => String(id))
      const request = { findingIds, ...decisions[analysis.state]!, ...(analysis.note && { note: analysis.note }) }
      decided += (await findings.triageMany(actor, request)).changedFindingIds.length
    }
    return {
      token: stableUuid('vex', actor.deploymentId, actor.requestId),
      decided,
      notTaken: notTaken.slice(0, mostNotes),
    }
  }
}

/** The findings that an analysis is about, and why some of it is about none. */
function choose(
  known: readonly DependencyDecision[],
  analysis: Analysis,
): { wanted: DependencyDecision[]; why: string[] } {
  const { ids, state, packages, unknown } = analysis
  const name = ids[0] ?? 'A vulnerability without an id'
  if (!decisions[state]) return { wanted: [], why: [`${name}: the state '${state}' decides nothing here.`] }
  const about = known.filter(({ vulnerabilityIds }) => vulnerabilityIds.some((id) => ids.includes(id)))
  const named = (one: DependencyDecision) =>
    packages === 'all' ? [] : packages.filter((each) => isSamePackage(each, one))
  const wanted = about.filter((one) => packages === 'all' || named(one).some((each) => isSameVersion(each, one)))
  const why = [
    ...unknown.map((ref) => `${name}: '${ref.slice(0, 200)}' is no component of the document and no package URL.`),
    ...about
      .filter((one) => !wanted.includes(one) && named(one).length > 0)
      .map((one) => `${name}: it is about another version of ${one.name} than ${one.version}, which stands here.`),
  ]
  return { wanted, why: wanted.length > 0 || why.length > 0 ? why : [`${name}: nothing stands here that it is about.`] }
}

type Named = { ecosystem: string; name: string; version: string | undefined }

function isSamePackage(one: Named, { ecosystem, name }: DependencyDecision): boolean {
  const rules = ecosystems[ecosystem as keyof typeof ecosystems]
  if (one.ecosystem !== ecosystem) return false
  return rules?.normalizeName(one.name) === rules?.normalizeName(name) || mayBeSpelled(ecosystem, one.name, name)
}

/** What was found about one version is not known of another. A package URL may also name none. */
function isSameVersion({ version }: Named, decision: DependencyDecision): boolean {
  return version === undefined || version === decision.version
}
