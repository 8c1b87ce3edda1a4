import type { Api } from '../../kernel/contract/api.ts'
import {
  browseMemories,
  createMemory,
  deleteMemory,
  getMemory,
  listMemories,
  preanalyzeMemory,
  promoteMemory,
  suggestMemories,
  updateMemory,
} from './contract.ts'
import type { Memories } from './memories.ts'

export function memoryRoutes(api: Api, { memories, suggestions }: Memories): void {
  api.serve(listMemories, ({ actor, body }) => memories.listLive(actor, body.filter ?? {}))
  api.serve(browseMemories, ({ actor, query }) => memories.list(actor, query))
  api.serve(getMemory, async ({ actor, params }) => ({ memory: await memories.get(actor, params.memoryId) }))
  api.serve(createMemory, async ({ actor, body }) => ({ memory: await memories.create(actor, body) }))
  api.serve(updateMemory, async ({ actor, params, body }) => ({
    memory: await memories.update(actor, params.memoryId, body),
  }))
  api.serve(deleteMemory, async ({ actor, params }) => ({ memory: await memories.remove(actor, params.memoryId) }))
  api.serve(preanalyzeMemory, async ({ actor, params }) => ({
    memory: await memories.preanalyze(actor, params.memoryId),
  }))
  api.serve(promoteMemory, async ({ actor, params, body }) => ({
    memory: await memories.promote(actor, params.memoryId, body.preanalysisCounts),
  }))
  api.serve(suggestMemories, ({ actor, body }) => suggestions.suggest(actor, body.repositoryIds?.map(Number)))
}
