import sql from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Finding } from '../finding.ts'

/** New ones come last: some read them by their place. */
export const csvColumns = [
  'id',
  'repository',
  'ref',
  'pullRequest',
  'source',
  'ruleId',
  'title',
  'message',
  'product',
  'category',
  'severity',
  'confidence',
  'reachability',
  'validity',
  'triageState',
  'triageReason',
  'decidedBy',
  'path',
  'startLine',
  'cwes',
  'vulnerabilityIds',
  'raisedAt',
  'stateChangedAt',
  'fixedAt',
  'ecosystem',
  'package',
  'version',
  'fixedVersion',
  'dueAt',
  'assignee',
  'deciderName',
  'note',
  'link',
] as const

const sca = codes.product.code('sca')

type BesideRow = { id: number; fixed_version: string; note: string; page: string }

/** Further columns of a list of what to fix, for a page of findings. */
export async function toCsvRows(db: Queryable, publicUrl: string, findings: readonly Finding[]) {
  const ids = findings.map(({ id }) => Number(id))
  const rows = await db.query<BesideRow>(sql`select f.id, coalesce(f.fixed_version, '') as fixed_version,
      coalesce(last.note, '') as note, '/d/' || deployment.slug || '/findings/' || f.id as page
    from unnest(${ids}::bigint[]) as page (id)
    cross join lateral (select f.id, case when f.product = ${sca} then f.detail->>'fixedVersion' end as fixed_version from finding f
      where f.deployment_id = ${db.deploymentId} and f.id = page.id offset 0) f
    join deployment on deployment.id = ${db.deploymentId}
    left join lateral (select h.note from finding_history h where h.deployment_id = ${db.deploymentId} and h.finding_id = f.id
      order by h.seq desc limit 1) last on true`)
  const beside = new Map(rows.map((row) => [String(row.id), row]))
  return findings.map((finding) => {
    const { assignee, dependency, ...columns } = finding
    const own = beside.get(finding.id)
    return {
      ...columns,
      ecosystem: dependency?.ecosystem ?? '',
      package: dependency?.name ?? '',
      version: dependency?.version ?? '',
      fixedVersion: own?.fixed_version ?? '',
      assignee: assignee?.name ?? '',
      note: own?.note ?? '',
      link: own ? publicUrl + own.page : '',
    }
  })
}
