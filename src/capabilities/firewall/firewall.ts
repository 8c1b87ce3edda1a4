import type { Logger } from 'pino'
import type { Clock } from '../../kernel/clock.ts'
import type { ConnectionOptions } from '../../kernel/connection.ts'
import type { Database } from '../../kernel/database.ts'
import type { Outbound } from '../../outbound/client.ts'
import { createFeeds } from './feeds.ts'
import { createKnowledgeKeeper } from './knowledge-keeper.ts'
import { createFirewallService } from './service.ts'

export type FirewallIngredients = {
  db: Database
  connection: ConnectionOptions
  outbound: Outbound
  clock: Clock
  log: Logger
  folder: string
}

/** Feeds, what is known from them, and the verdicts made of it. */
export function createFirewall(ingredients: FirewallIngredients) {
  const feeds = createFeeds(ingredients)
  const knowledge = createKnowledgeKeeper(ingredients)
  const service = createFirewallService({ ...ingredients, knowledge, feeds })
  return { feeds, service, verdict: service.verdict, refresh: knowledge.refresh, close: knowledge.close }
}
