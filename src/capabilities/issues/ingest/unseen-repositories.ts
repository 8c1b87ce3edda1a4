import { type Actor, seesEverything } from '../../../kernel/access/actor.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import * as store from './ingest-store.ts'
import type { Report } from './read-reports.ts'

/**
 * Who sees only some of the repositories of an issue speaks about those: the others stay, or a report would take the issue
 * away from people whose repositories the reporter does not even know. Where no repository is named, all stay, because
 * to make it a matter of the whole deployment would show it to everybody.
 */
export async function keepUnseen(
  tx: Transaction,
  actor: Actor,
  reports: readonly Report[],
  known: ReadonlyMap<string, store.Known>,
): Promise<readonly Report[]> {
  if (seesEverything(actor)) return reports
  const scopeOf = (report: Report) => known.get(report.externalKey)!.scope_id
  const held = Map.groupBy(await store.listHeld(tx, actor, reports.map(scopeOf)), (one) => one.scope_id)
  return reports.map((report) => {
    const former = held.get(scopeOf(report)) ?? []
    if (former.every(({ seen }) => seen)) return report
    const named = report.repositoryIds.length > 0
    const kept = former.filter(({ seen }) => !(named && seen)).map((one) => one.repository_id)
    return { ...report, repositoryIds: [...new Set([...report.repositoryIds, ...kept])].sort((a, b) => a - b) }
  })
}
