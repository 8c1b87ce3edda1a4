import sql, { empty } from 'sql-template-tag'
import { cutPage, pageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { BillStatement, StatementQuery } from '../contract.ts'

type Row = {
  id: number
  path: string
  vulnerability: string
  state: string
  justification: string
  affects: string
  document: string
}

/** A page of what the bills of a repository say about vulnerabilities, along the primary key. */
export async function listStatements(db: Queryable, repositoryId: number, query: StatementQuery) {
  const page = pageRequest(query)
  const { vulnerability = '' } = query
  const found =
    await db.query<Row>(sql`select s.id, f.path, s.vulnerability, s.state, s.justification, s.affects, s.document
    from bill_statement s
    join lockfile f on f.deployment_id = s.deployment_id and f.repository_id = s.repository_id and f.id = s.lockfile_id
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.id > ${page.after}
      ${vulnerability === '' ? empty : sql`and s.vulnerability = ${vulnerability}`}
    order by s.id limit ${page.size + 1}`)
  const { rows, ...rest } = cutPage(found, page)
  return { statements: rows.map(toStatement), ...rest }
}

function toStatement({ path, affects, document, ...row }: Row): BillStatement {
  return { ...row, lockfilePath: path, affects: JSON.parse(affects), document: JSON.parse(document) }
}
