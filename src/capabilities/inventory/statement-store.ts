import sql, { empty } from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable } from '../../kernel/database/database.ts'

export type StatementRow = {
  id: number
  path: string
  vulnerability: string
  state: string
  justification: string
  /** As JSON. */
  affects: string
  /** As JSON. */
  document: string
}

/** A page of what the bills of a repository say about vulnerabilities, along the primary key, and one more. */
export function listStatements(
  db: Queryable,
  repositoryId: number,
  page: PageRequest,
  vulnerability: string,
): Promise<StatementRow[]> {
  return db.query(sql`select s.id, f.path, s.vulnerability, s.state, s.justification, s.affects, s.document
    from bill_statement s
    join lockfile f on f.deployment_id = s.deployment_id and f.repository_id = s.repository_id and f.id = s.lockfile_id
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.id > ${page.after}
      ${vulnerability === '' ? empty : sql`and s.vulnerability = ${vulnerability}`}
    order by s.id limit ${page.size + 1}`)
}
