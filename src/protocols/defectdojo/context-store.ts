import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'

export type ContextKind = 'product_type' | 'product' | 'engagement' | 'test'

export type ContextRow = {
  id: number
  kind: ContextKind
  parentId: number
  name: string
  scanType: string
  productTypeId: number
}

export type NewContext = Pick<ContextRow, 'kind' | 'name'> &
  Partial<Pick<ContextRow, 'parentId' | 'scanType' | 'productTypeId'>>

const columns = sql`c.id, c.kind, c.parent_id as "parentId", c.name, c.scan_type as "scanType",
  c.product_type_id as "productTypeId"`

/** All of that name; of a test, whatever its type. */
export function listNamed(db: Queryable, kind: ContextKind, parentId: number, name: string): Promise<ContextRow[]> {
  return db.query(sql`select ${columns} from defectdojo_context c
    where c.deployment_id = ${db.deploymentId} and c.kind = ${kind} and c.parent_id = ${parentId} and c.name = ${name}
    order by c.id limit 100`)
}

export async function find(db: Queryable, kind: ContextKind, id: number): Promise<ContextRow | undefined> {
  const [row] = await db.query<ContextRow>(sql`select ${columns} from defectdojo_context c
    where c.deployment_id = ${db.deploymentId} and c.id = ${id} and c.kind = ${kind}`)
  return row
}

/** The one that is there, or a new one. */
export async function ensure(tx: Transaction, given: NewContext): Promise<ContextRow> {
  const { kind, name, parentId = 0, scanType = '', productTypeId = 0 } = given
  await tx.query(sql`insert into defectdojo_context (deployment_id, kind, parent_id, name, scan_type, product_type_id)
    values (${tx.deploymentId}, ${kind}, ${parentId}, ${name}, ${scanType}, ${productTypeId})
    on conflict (deployment_id, kind, parent_id, name, scan_type) do nothing`)
  const [row] = await tx.query<ContextRow>(sql`select ${columns} from defectdojo_context c
    where c.deployment_id = ${tx.deploymentId} and c.kind = ${kind} and c.parent_id = ${parentId} and c.name = ${name}
      and c.scan_type = ${scanType}`)
  return row!
}
