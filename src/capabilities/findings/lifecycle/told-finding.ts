import sql from 'sql-template-tag'
import * as names from '../../../domain/wire-names.ts'

/** A finding as a developer is told of it: in the receipt of an upload, and at the code host. */
export type ToldFinding = {
  id: string
  title: string
  message: string
  severity: ReturnType<typeof names.severityNames.ofCode>
  /** Empty where it is in no file. */
  path: string
  /** From 1; 0 where unknown. */
  line: number
  rule: string
  advisories: string[]
  dependency: { name: string; version: string; ecosystem: string } | null
  /** Path of its page in the console. */
  page: string
}

export type ToldRow = Omit<ToldFinding, 'id' | 'severity'> & { id: number; severity: number }

/** Of `f` with its `rule` and its `deployment`. */
export const toldColumns = sql`f.id, f.title, f.message, f.severity, f.path, f.start_line as line,
  rule.external_id as rule, f.vulnerability_ids as advisories,
  nullif(f.content->'dependency', 'null'::jsonb) as dependency,
  '/d/' || deployment.slug || '/findings/' || f.id as page`

export function toldFinding({ id, severity, ...row }: ToldRow): ToldFinding {
  return { ...row, id: String(id), severity: names.severityNames.ofCode(severity) }
}
