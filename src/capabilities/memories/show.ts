import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import { withVersion } from '../../kernel/contract/etag.ts'
import type { Counts } from './applying/replay.ts'
import { type Memory, type PreanalysisCounts, type StageName, stageNames } from './memory.ts'
import { contextName } from './read-fields.ts'
import { type MemoryRow, type Stage, stages } from './store.ts'

/**
 * What a suggestion is based on was said about findings of one repository. Once it is about more, those who do not see
 * that repository may see the memory, so only owners and admins are shown its sources.
 */
export function toMemory(actor: Actor, row: MemoryRow): Memory {
  const sources = row.repositoryId !== null || seesEverything(actor) ? row.sources : []
  const memory = {
    id: String(row.id),
    content: row.content,
    ruleId: row.rule,
    ruleName: row.ruleName,
    repositoryId: row.repositoryId === null ? '' : String(row.repositoryId),
    repositoryName: row.repositoryName,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    context: row.contexts.map(contextName),
    stage: stageNames[row.stage - 1]!,
    pathPrefixes: row.pathPrefixes,
    suggestionSources: { sources },
    preanalysisCounts: toCounts(row),
    vulnerabilityClass: row.vulnerabilityClass,
    projectTagId: row.tagId ?? 0,
  }
  return withVersion(memory, row.version)
}

export function toCounts({ newlyTrue, newlyFalse, remainsTrue, remainsFalse }: Counts): PreanalysisCounts {
  return {
    newlyTruePositive: String(newlyTrue),
    newlyFalsePositive: String(newlyFalse),
    remainsTruePositive: String(remainsTrue),
    remainsFalsePositive: String(remainsFalse),
  }
}

const present = [stages.suggested, stages.live]

/** All but the deleted ones where none is named. */
export function stagesOf(name: StageName | undefined): readonly Stage[] {
  return name ? [(stageNames.indexOf(name) + 1) as Stage] : present
}
