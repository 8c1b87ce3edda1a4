import type { KnownVersion } from '../../capabilities/inventory/public.ts'
import type { RepositoryService } from '../../capabilities/repositories/service.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Project } from './answers.ts'
import type { ProjectChanges } from './contract.ts'
import { tagsIn } from './project-tags.ts'
import { type Projects, refName, repositoryName } from './projects.ts'

type Parts = { projects: Projects; repositories: Pick<RepositoryService, 'update'> }

/** Tags, and whether it is active, are those of the repository. What else clients send of a project is not kept. */
export function createProjectChange({ projects, repositories }: Parts) {
  return async (actor: Actor, uuid: string, sent: ProjectChanges): Promise<Project> => {
    const project = await projects.withUuid(actor, uuid)
    refuseMoves(project, sent)
    const tags = sent.tags ? tagsIn(sent.tags) : project.tags
    const archived = typeof sent.active === 'boolean' ? !sent.active : project.archived
    const changes = {
      ...(!sameTags(tags, project.tags) && { tags }),
      ...(archived !== project.archived && { archived }),
    }
    if (Object.keys(changes).length > 0) await repositories.update(actor, project.repositoryId, changes)
    return projects.shown(actor, { ...project, tags, archived })
  }
}

/** An id is made from the name and the version, and only an upload says what the inventory is. */
function refuseMoves(project: KnownVersion, { name, version, isLatest }: ProjectChanges): void {
  if (name && repositoryName(name) !== project.repository) {
    throw new Fault('validation_failed', 'A project is renamed in Gatehouse itself, by renaming its repository.')
  }
  if (version && refName(version) !== project.version) {
    throw new Fault('validation_failed', 'A version keeps its name: upload the bill again under the other one.')
  }
  if (isLatest && !project.isLatest) {
    throw new Fault('validation_failed', 'Send isLatest with the upload: the latest version becomes the inventory.')
  }
}

function sameTags(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((tag) => others.includes(tag))
}
