import type { ScanService } from '../../capabilities/scans/service.ts'
import type { Capability } from '../../domain/capability.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { describeCaller } from './caller.ts'
import { createResultsPool } from './results-pool.ts'
import { semgrepRoutes } from './routes.ts'
import { createSemgrepRules } from './rules.ts'
import { createSemgrepRuns } from './runs.ts'

type Parts = {
  db: Database
  clock: Clock
  scans: Pick<ScanService, 'upload' | 'getReceipt'>
  publicUrl: string
  memoryBytes: number
}

/** What the Semgrep CLI asks its server for. */
export function createSemgrep({ db, clock, scans, publicUrl, memoryBytes }: Parts): Capability {
  const pool = createResultsPool(memoryBytes)
  const runs = createSemgrepRuns({ db, clock, pool, scans, publicUrl })
  const rules = createSemgrepRules(db, clock)
  return { serve: (api) => semgrepRoutes(api, runs, rules, describeCaller(db)), close: pool.close }
}
