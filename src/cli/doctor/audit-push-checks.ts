import { type Lag, syslogLag } from '../../capabilities/audit/public.ts'
import type { WorkerQueryable } from '../../kernel/database/database.ts'
import type { Settings } from '../../settings/settings.ts'

type Finding = { part: string; state: 'ok' | 'warning'; detail: string; advice?: string }

/** Whether the operator's receiver has what it should have. Webhooks are the business of those who set them up. */
export async function checkAuditPush(
  db: { query: WorkerQueryable['query'] },
  { auditSyslog }: Pick<Settings, 'auditSyslog'>,
): Promise<Finding[]> {
  if (!auditSyslog) return []
  const part = 'audit push'
  const { host, port } = auditSyslog
  const [lag] = await db.query<Lag>(syslogLag)
  const { logs, behind, failing, since } = lag!
  const detail = `${behind} events of ${logs} logs are to be sent to ${host}:${port}`
  if (failing === 0) return [{ part, state: 'ok', detail }]
  const advice = `The receiver has not taken events since ${since!.toISOString()}. They are kept and sent when it does.`
  return [{ part, state: 'warning', detail, advice }]
}
