import type { RepositoryService } from '../../capabilities/repositories/service.ts'
import type { ScanService } from '../../capabilities/scans/service.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { BomUpload } from './contract.ts'
import { tagsIn } from './project-tags.ts'
import { projectUuid, stableUuid } from './project-uuid.ts'
import { type Projects, refName, repositoryName } from './projects.ts'

type Parts = {
  projects: Projects
  scans: Pick<ScanService, 'upload' | 'defaultBranchOf'>
  repositories: Pick<RepositoryService, 'get' | 'update'>
}

type Target = { repository: string; version: string; create: boolean }

/** What the default branch of a repository is called that is first heard of as a latest version. */
const usualBranch = 'main'
const mostTags = 100

/** A bill of materials becomes a full scan with one file, and is kept as a version where it is not the default branch. */
export function createBomUpload({ projects, scans, repositories }: Parts) {
  return async (actor: Actor, body: BomUpload, files: readonly ReceivedFile[]) => {
    if (files.length === 0) throw new Fault('malformed_request', "Send a bill of materials as 'bom'.")
    const { repository, version, create } = await targetOf(actor, body)
    const isLatest = isSet(body.isLatest) || isSet(body.isLatestProjectVersion)
    const known = await scans.defaultBranchOf(actor, repository)
    const branch = known ?? (isLatest ? usualBranch : version || usualBranch)
    const name = version || branch
    const scan = {
      repository,
      ref: isLatest ? branch : name,
      createRepository: create,
      tool: 'Dependency-Track client',
    }
    const { scan: made } = await scans.upload(
      actor,
      scan,
      files.map((file, at) => ({ ...file, name: at === 0 ? 'bom.json' : `bom-${at + 1}.json` })),
      { source: 'dependency-track', version: { name, isLatest } },
    )
    await addTags(actor, made.repositoryId, tagsIn(body.projectTags))
    return {
      token: stableUuid('scan', actor.deploymentId, made.id),
      projectUuid: projectUuid(actor.deploymentId, made.repositoryId, name),
    }
  }

  async function targetOf(actor: Actor, body: BomUpload): Promise<Target> {
    if (body.project) {
      const { repository, version } = await projects.withUuid(actor, body.project)
      return { repository, version, create: false }
    }
    if (!body.projectName) throw new Fault('malformed_request', 'Send project, or projectName and projectVersion.')
    const repository = repositoryName(body.projectName)
    return { repository, version: refName(body.projectVersion ?? ''), create: isSet(body.autoCreate) }
  }

  /** Tags say which policies and memories apply, so a token that may only upload sets none. */
  async function addTags(actor: Actor, repositoryId: number, names: readonly string[]): Promise<void> {
    if (names.length === 0 || !actor.permissions.has('repositories:write')) return
    const { tags } = await repositories.get(actor, repositoryId)
    const all = [...new Set([...tags, ...names])].slice(0, Math.max(mostTags, tags.length))
    if (all.length > tags.length) await repositories.update(actor, repositoryId, { tags: all })
  }
}

function isSet(flag: BomUpload['isLatest']): boolean {
  return String(flag).toLowerCase() === 'true'
}
