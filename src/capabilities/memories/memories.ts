import type { Database } from '../../kernel/database/database.ts'
import { applyMemories, tagging } from './applying/apply-memories.ts'
import { createMemoryService } from './service.ts'
import { createSuggestions, lookForSuggestions } from './suggestions/suggest.ts'

/** What others tell memories about, in their transactions. */
export const memoryEffects = { remember: applyMemories, whenDecided: lookForSuggestions, tagging }

export type Memories = ReturnType<typeof createMemories>

export function createMemories(db: Database) {
  const suggestions = createSuggestions(db)
  return { memories: createMemoryService(db), suggestions, handlers: [suggestions.handler] }
}
