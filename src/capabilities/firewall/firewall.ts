import type { FeedIngredients } from '../../feeds/keeper.ts'
import type { Fire } from '../../kernel/trigger.ts'
import type { Reconcile, Subjects } from '../findings/reads.ts'
import { createExposure } from './exposure.ts'
import { createFeeds } from './feeds.ts'
import { createKnowledgeKeeper } from './knowledge-keeper.ts'
import { createMalware } from './malware.ts'
import { createFirewallService } from './service.ts'

export type FirewallIngredients = FeedIngredients & { reconcile: Reconcile; subjects: Subjects; fire: Fire }

/** Feeds, what is known from them, and the verdicts made of it. */
export function createFirewall(ingredients: FirewallIngredients) {
  const feeds = createFeeds(ingredients)
  const knowledge = createKnowledgeKeeper(ingredients)
  const service = createFirewallService({ ...ingredients, knowledge, feeds })
  const { verdict } = service
  const isReady = () => knowledge.current() !== undefined
  const malware = createMalware({ ...ingredients, verdict, isReady })
  const exposure = createExposure({ ...ingredients, malware, verdict, reach })

  async function reach(revision: number): Promise<boolean> {
    const isThere = () => (knowledge.current()?.index.revision ?? 0) >= revision
    if (!isThere()) await knowledge.refresh()
    return isThere()
  }

  return { feeds, service, verdict, malware, exposure, refresh: knowledge.refresh, close: knowledge.close }
}
