import type { KnownVersion } from '../../capabilities/inventory/public.ts'
import { listKnownVersions, type VersionFilter } from '../../capabilities/inventory/public.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Project } from './answers.ts'
import { projectUuid, repositoryIn } from './project-uuid.ts'

export type Projects = ReturnType<typeof createProjects>

const most = 10_000

/** A project of Dependency-Track is a version of a repository: its default branch, or one whose bill is kept. */
export function createProjects(db: Database) {
  async function list(
    actor: Actor,
    query: { pageNumber?: number; pageSize?: number; name?: string; excludeInactive?: string },
  ): Promise<{ projects: Project[]; total: number }> {
    const { pageNumber = 1, pageSize = 100, name } = query
    const filter = {
      ...(name && { name: repositoryName(name) }),
      withoutArchived: query.excludeInactive === 'true',
    }
    const page = { limit: pageSize, offset: (pageNumber - 1) * pageSize }
    const { versions, total } = await listKnownVersions(db.as(actor), actor, filter, page)
    return { projects: versions.map((version) => shown(actor, version)), total }
  }

  async function withUuid(actor: Actor, uuid: string): Promise<KnownVersion> {
    const repositoryId = repositoryIn(uuid)
    const known = repositoryId === undefined ? [] : await versionsOf(actor, { repositoryId })
    const wanted = uuid.toLowerCase()
    const found = known.find(({ version }) => projectUuid(actor.deploymentId, repositoryId!, version) === wanted)
    if (!found) throw new Fault('not_found', `No project '${uuid.slice(0, 60)}'.`)
    return found
  }

  async function named(actor: Actor, name: string, version: string): Promise<KnownVersion> {
    const known = await versionsOf(actor, { name: repositoryName(name), ...(version && { version }) })
    const found = version ? known[0] : known.find(({ isDefaultBranch }) => isDefaultBranch)
    if (!found) throw new Fault('not_found', `No project '${name}' with the version '${version}'.`)
    return found
  }

  async function latest(actor: Actor, name: string): Promise<KnownVersion> {
    const [found] = await versionsOf(actor, { name: repositoryName(name), latest: true })
    if (!found) throw new Fault('not_found', `No project '${name}'.`)
    return found
  }

  async function versionsOf(actor: Actor, filter: VersionFilter): Promise<KnownVersion[]> {
    return (await listKnownVersions(db.as(actor), actor, filter, { limit: most, offset: 0 })).versions
  }

  function shown(actor: Actor, version: KnownVersion): Project {
    return {
      uuid: projectUuid(actor.deploymentId, version.repositoryId, version.version),
      name: version.repository,
      version: version.version,
      active: !version.archived,
      isLatest: version.isLatest,
      tags: version.tags.map((name) => ({ name })),
      lastBomImport: version.updatedAt.getTime(),
      lastBomImportFormat: 'CycloneDX',
    }
  }

  return { list, withUuid, named, latest, shown }
}

/** Names of projects may have any characters, those of repositories may not. */
export function repositoryName(projectName: string): string {
  const name = projectName
    .trim()
    .replace(/[:\\]+/g, '/')
    .replace(/[^\p{L}\p{M}\p{N}._@+~!&'() /-]+/gu, '-')
    .replace(/ *\/[ /]*/g, '/')
    .replace(/ +/g, ' ')
    .replace(/^[/ ]+|[/ ]+$/g, '')
  if (name === '' || name.length > 300)
    throw new Fault('malformed_request', 'projectName must have 1 to 300 characters.')
  return name
}

/** The same for versions and the names of branches. */
export function refName(projectVersion: string): string {
  const ref = projectVersion
    .trim()
    .replace(/^refs\/heads\//, '')
    .replace(/[\s~^:?*[\\]+/g, '-')
  if (ref.length > 250) throw new Fault('malformed_request', 'projectVersion may have at most 250 characters.')
  return ref
}
