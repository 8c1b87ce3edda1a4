import type { ScanService } from '../../capabilities/scans/service.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { withAnswer } from '../../kernel/contract/answer.ts'
import type { Api, ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import * as contract from './contract.ts'
import { readSnapshotHead, snapshotName } from './snapshot-head.ts'
import { categoryOf, checkoutFolder, subjectOf, unknownWorkflow } from './subject.ts'

export type GitHubParts = {
  scans: Pick<ScanService, 'upload' | 'get' | 'defaultBranchOf'>
  publicUrl: string
}

/** The release of GitHub Enterprise Server whose interface this is: clients look at it before they use what is newer. */
const servedVersion = '3.17.0'

type Params = { owner: string; repo: string }
type Sarif = {
  params: Params
  sha: string
  ref: string
  baseRef?: string
  checkout?: string | undefined
  category?: string
  run?: string | undefined
}

export function gitHubRoutes(api: Api, { scans, publicUrl }: GitHubParts): void {
  async function takeSarif(actor: Actor, { params, ...sent }: Sarif, files: readonly ReceivedFile[]) {
    const repository = `${params.owner}/${params.repo}`
    const [file] = files
    if (!file) throw required('sarif')
    const base = sent.baseRef || (await scans.defaultBranchOf(actor, repository)) || 'main'
    const root = checkoutFolder(sent.checkout)
    const scan = {
      repository,
      ...subjectOf(sent.ref, base),
      commit: sent.sha.toLowerCase(),
      tool: 'GitHub client',
      ...(root && { root }),
      ...(sent.run && { run: sent.run }),
    }
    const { category } = sent
    const emptyCategory = `${unknownWorkflow}:`
    const findings = { formats: ['sarif'], ...(category && { category, emptyCategory }) }
    const receipt = await scans.upload(actor, scan, [{ ...file, name: 'results.sarif' }], {
      source: 'github-code-scanning',
      findings,
    })
    const id = String(receipt.scan.id)
    return { id, url: `${publicUrl}/api/v3/repos/${repository}/code-scanning/sarifs/${id}` }
  }

  api.serve(contract.uploadSarif, async ({ actor, params, body, files }) => {
    const sent = { params, sha: body.commit_sha, ref: body.ref, checkout: body.checkout_uri }
    return withAnswer({ status: 202, body: await takeSarif(actor, sent, files) })
  })

  api.serve(contract.uploadAnalysis, async ({ actor, params, body, files }) => {
    const sent = {
      params,
      sha: body.commit_oid,
      ref: body.ref,
      baseRef: body.base_ref ?? '',
      checkout: body.checkout_uri,
      run: body.workflow_run_id?.toString(),
      category: categoryOf(body.analysis_key, body.environment, body.analysis_name),
    }
    return withAnswer({ status: 202, body: await takeSarif(actor, sent, files) })
  })

  api.serve(contract.getSarifStatus, async ({ actor, params }) => {
    const { repository } = await scans.get(actor, params.sarifId)
    if (repository !== `${params.owner}/${params.repo}`) throw new Fault('not_found', `No scan ${params.sarifId}.`)
    return { processing_status: 'complete' as const, analyses_url: null, errors: null }
  })

  api.serve(contract.reportStatus, () => ({}))
  api.serve(contract.getWorkflowRun, ({ params }) => ({ id: params.runId, path: unknownWorkflow }))
  api.serve(contract.getMeta, () =>
    withAnswer({
      status: 200,
      headers: { 'x-github-enterprise-version': servedVersion },
      body: { installed_version: servedVersion },
    }),
  )

  api.serve(contract.submitSnapshot, async ({ actor, params, files }) => {
    const [file] = files
    if (!file) throw required('manifests')
    const head = readSnapshotHead(file)
    const repository = `${params.owner}/${params.repo}`
    const base = (await scans.defaultBranchOf(actor, repository)) ?? 'main'
    const scan = {
      repository,
      ...subjectOf(head.ref, base),
      commit: head.sha.toLowerCase(),
      tool: head.detector.slice(0, 200),
    }
    const named = [{ ...file, name: 'snapshot.json' }]
    const source = `github-snapshot:${snapshotName(head)}` as const
    const { scan: made } = await scans.upload(actor, scan, named, {
      source,
      findings: { formats: ['github-snapshot'] },
    })
    const result = made.isInventory ? ('SUCCESS' as const) : ('ACCEPTED' as const)
    const message = made.isInventory
      ? `The inventory has the ${made.dependencyCount} dependencies of this snapshot.`
      : 'The snapshot is not of the default branch, so the inventory is as it was.'
    return withAnswer({ status: 201, body: { id: made.id, created_at: made.createdAt, result, message } })
  })
}

function required(member: string): Fault {
  const errors = [{ pointer: `/${member}`, detail: 'is required' }]
  return new Fault('validation_failed', 'The request does not fit the contract.', { errors })
}
