import type { Api } from '../../kernel/contract/api.ts'
import {
  createRepository,
  deleteRepository,
  getRepository,
  listRepositories,
  listTags,
  updateRepository,
} from './contract.ts'
import type { RepositoryService } from './service.ts'

export function repositoryRoutes(api: Api, repositories: RepositoryService): void {
  api.serve(createRepository, async ({ actor, body }) => ({ repository: await repositories.create(actor, body) }))
  api.serve(listRepositories, ({ actor, query }) => repositories.list(actor, query))
  api.serve(getRepository, async ({ actor, params }) => ({
    repository: await repositories.get(actor, params.repositoryId),
  }))
  api.serve(updateRepository, async ({ actor, params, body }) => ({
    repository: await repositories.update(actor, params.repositoryId, body),
  }))
  api.serve(deleteRepository, async ({ actor, params }) => ({
    repository: await repositories.remove(actor, params.repositoryId),
  }))
  api.serve(listTags, ({ actor, query }) => repositories.listTags(actor, query))
}
