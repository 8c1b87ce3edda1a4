import { wrongAddress, wrongTemplate } from '../../domain/code-links.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { holdClaims, leaveTeams, settleClaims } from '../teams/public.ts'
import type { NewRepository, Repository, RepositoryChanges, RepositoryQuery, Tag } from './contract.ts'
import { forgetFormerName, create as insert, nextRepositoryId } from './public.ts'
import * as store from './store.ts'

export type RepositoryService = ReturnType<typeof createRepositoryService>

/** Told that a repository is about to carry other tags, before it is held, and that it does. */
export type Tagging = {
  before(tx: Transaction): Promise<void>
  after(tx: Transaction, repositoryId: number): Promise<void>
}

/** Told that a repository has another default branch. */
export type FollowDefaultBranch = (tx: Transaction, repositoryId: number, defaultBranch: string) => Promise<void>

export function createRepositoryService(db: Database, tagging: Tagging, followDefaultBranch: FollowDefaultBranch) {
  async function list(actor: Actor, query: RepositoryQuery) {
    const page = pageRequest(query)
    const filter = { name: query.name, tag: query.tag, includeArchived: query.includeArchived === 'true' }
    const { rows, ...rest } = cutPage(await store.list(db.as(actor), actor, filter, page), page)
    return { repositories: rows.map(toRepository), ...rest }
  }

  function get(actor: Actor, id: number): Promise<Repository> {
    return find(db.as(actor), actor, id)
  }

  function create(actor: Actor, repository: NewRepository): Promise<Repository> {
    requireLinks(repository)
    return db.transactionWithReply(actor, async (tx) => {
      const { tags = [], ...fields } = repository
      const defaults = { archived: false, publiclyExposed: false, defaultBranch: 'main' }
      const id = await nextRepositoryId(tx)
      if (!(await insert(tx, id, { ...defaults, ...fields }))) throw nameTaken(repository.name)
      const hasLinks = repository.webUrl !== undefined || repository.linkTemplates !== undefined
      // Sent before it is read, and not waited for until then.
      const tagged = tags.length > 0 && store.setTags(tx, id, tags)
      const linked = hasLinks && store.setLinks(tx, id, repository)
      return async () => {
        const [found] = await Promise.all([find(tx, actor, id), tagged, linked])
        return found
      }
    })
  }

  function update(actor: Actor, id: number, changes: RepositoryChanges): Promise<Repository> {
    requireLinks(changes)
    return db.transaction(actor, async (tx) => {
      const { tags, ...fields } = changes
      if (fields.name !== undefined) await holdClaims(tx)
      if (tags) await tagging.before(tx)
      const current = await lock(tx, actor, id)
      try {
        await store.update(tx, id, { ...current, ...fields })
      } catch (error) {
        if (isUniqueViolation(error)) throw nameTaken(changes.name ?? current.name, error)
        throw error
      }
      if (fields.name !== undefined) await settleClaims(tx, id)
      if (fields.name !== undefined && fields.name !== current.name) {
        await forgetFormerName(tx, fields.name)
        await store.keepFormerName(tx, id, current.name)
      }
      const { defaultBranch = current.defaultBranch } = fields
      if (defaultBranch !== current.defaultBranch) await followDefaultBranch(tx, id, defaultBranch)
      if (tags) {
        await store.setTags(tx, id, tags)
        await tagging.after(tx, id)
      }
      await store.setLinks(tx, id, changes)
      tx.audit({ action: 'repository.update', target: `repository:${id}`, detail: changes })
      return find(tx, actor, id)
    })
  }

  function remove(actor: Actor, id: number): Promise<Repository> {
    return db.transaction(actor, async (tx) => {
      await leaveTeams(tx, id)
      const repository = await lock(tx, actor, id)
      await store.remove(tx, id)
      tx.audit({ action: 'repository.delete', target: `repository:${id}`, detail: { name: repository.name } })
      return repository
    })
  }

  async function listTags(actor: Actor, query: { pageSize?: number; cursor?: number }) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.listTags(db.as(actor), actor, page), page)
    const tags: Tag[] = rows.map((row) => ({ id: row.id, name: row.name, repositoryCount: row.repository_count }))
    return { tags, ...rest }
  }

  return { list, get, create, update, remove, listTags }
}

/** The row itself is locked first and read second, so that what is read is what the former holder of the lock left. */
async function lock(tx: Transaction, actor: Actor, id: number): Promise<Repository> {
  if (!(await store.lock(tx, actor, id))) throw notFound(id)
  const row = await store.find(tx, actor, id)
  if (!row) throw notFound(id)
  requireVersion(actor, row.version)
  return toRepository(row)
}

async function find(db: Queryable, actor: Actor, id: number): Promise<Repository> {
  const row = await store.find(db, actor, id)
  if (!row) throw notFound(id)
  return toRepository(row)
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No repository ${id}.`)
}

function nameTaken(name: string, cause?: unknown): Fault {
  return new Fault('conflict', `A repository '${name}' already exists.`, { cause })
}

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: string }).code === '23505'
}

/** Whoever follows a link of a finding goes where these lead. */
function requireLinks({ webUrl = '', linkTemplates = {} }: Partial<NewRepository>): void {
  const wrong: [pointer: string, detail: string | undefined][] = [
    ['/webUrl', wrongAddress(webUrl)],
    ...Object.entries(linkTemplates).map(([name, text]): [string, string | undefined] => [
      `/linkTemplates/${name}`,
      wrongTemplate(text),
    ]),
  ]
  const errors = wrong.flatMap(([pointer, detail]) => (detail ? [{ pointer, detail }] : []))
  if (errors.length > 0)
    throw new Fault('validation_failed', 'An address is not one that links may lead to.', { errors })
}

const kinds = { code: 'REPOSITORY_KIND_CODE', 'package-clients': 'REPOSITORY_KIND_PACKAGE_CLIENTS' } as const

export function toRepository(row: store.RepositoryRow): Repository {
  const repository = {
    id: row.id,
    name: row.name,
    tags: row.tags,
    archived: row.archived,
    publiclyExposed: row.publicly_exposed,
    defaultBranch: row.default_branch,
    webUrl: row.web_url,
    linkTemplates: row.link_templates,
    kind: kinds[row.kind],
    createdAt: row.created_at.toISOString(),
  }
  return withVersion(repository, row.version)
}
