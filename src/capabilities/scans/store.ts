import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { rowsNotCopied } from '../../kernel/database/given-rows.ts'
import { blockingChangedSince } from '../automations/public.ts'
import { endedSince, openByAdvisories } from '../findings/public.ts'
import { inventories } from '../inventory/public.ts'
import { policiesChangedSince } from '../policies/public.ts'
import { visibleTo } from '../repositories/public.ts'
import { advisoriesLoaded, advisoryRevision } from '../vulnerabilities/public.ts'
import type { Receipt, Scan, ScanFile, ScanQuery } from './contract.ts'

export type ScanRow = {
  id: number
  repository_id: number
  repository: string
  kind: Scan['kind']
  ref: string
  commit: string
  pull_request: number
  base_ref: string
  tool: string
  source: string
  is_inventory: boolean
  file_count: number
  dependency_count: number
  finding_count: number
  problem_count: number
  raised_count: number
  fixed_count: number
  blocked: boolean
  /** Null where it was made when it was sent. */
  performed_at: Date | null
  created_at: Date
}

/** What of a receipt is not in the other columns of its scan. Older ones know nothing of findings and automations. */
export type StoredReceipt = Pick<Receipt, 'createdRepository' | 'removedPaths'> & {
  files: (Omit<ScanFile, 'findings'> & { findings?: Partial<ScanFile['findings']> })[]
  part?: string
  /** Of the CI service that sent it. */
  run?: string
  /** Of a part: before it more was looked at than the part, so something outside of it may stand. */
  outside?: boolean
  fixedAdvisoryFindings?: number
  pastFirewall?: Receipt['pastFirewall']
  notCompared?: Receipt['notCompared']
  blockedBy?: Receipt['blockedBy']
  blockedByRules?: Receipt['blockedByRules']
  blockingFindings?: Receipt['blockingFindings']
  blockingFindingCount?: number
  /** How far advisories were known when it was last compared with them; the statements write it. */
  known?: string
}

const columns = sql`s.id, s.repository_id, r.name as repository, s.kind, s.ref, s.commit, s.pull_request, s.base_ref,
  s.tool, s.source, s.is_inventory, s.file_count, s.dependency_count, s.finding_count, s.problem_count,
  s.raised_count, s.fixed_count, s.blocked, s.performed_at, s.created_at`
const scans = sql`scan s join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id`

export function list(db: Queryable, actor: Actor, filter: ScanQuery, page: PageRequest): Promise<ScanRow[]> {
  const before = page.after > 0 ? sql`and s.id < ${page.after}` : empty
  const ofRepository = filter.repositoryId === undefined ? empty : sql`and s.repository_id = ${filter.repositoryId}`
  const ofKind = filter.kind === undefined ? empty : sql`and s.kind = ${filter.kind}`
  const { ref, pullRequest, commit, tool, blocked, problems } = filter
  return db.query(sql`select ${columns} from ${scans}
    where s.deployment_id = ${db.deploymentId} and ${visibleTo(actor, sql`s.repository_id`)}
      ${before} ${ofRepository} ${ofKind}
      ${ref === undefined ? empty : sql`and s.ref = ${ref}`}
      ${pullRequest === undefined ? empty : sql`and s.pull_request = ${pullRequest}`}
      ${commit === undefined ? empty : sql`and starts_with(s.commit, ${commit})`}
      ${tool === undefined ? empty : sql`and strpos(lower(s.tool), lower(${tool})) > 0`}
      ${blocked === undefined ? empty : sql`and s.blocked = ${blocked === 'true'}`}
      ${problems === undefined ? empty : sql`and (s.problem_count > 0) = ${problems === 'true'}`}
    order by s.id desc limit ${page.size + 1}`)
}

export function find(db: Queryable, actor: Actor, id: number): Promise<ScanRow | undefined> {
  return first(
    db,
    sql`select ${columns} from ${scans}
    where s.deployment_id = ${db.deploymentId} and s.id = ${id} and ${visibleTo(actor, sql`s.repository_id`)}`,
  )
}

export type ReceiptRow = ScanRow & {
  receipt: StoredReceipt
  archived: boolean
  open_by_advisories: number
  advisories_loaded: boolean
}

export function findReceipt(db: Queryable, actor: Actor, id: number): Promise<ReceiptRow | undefined> {
  return first(
    db,
    sql`select ${columns}, r.archived, s.receipt, ${openByAdvisories(db.deploymentId)} as open_by_advisories,
      ${advisoriesLoaded} as advisories_loaded from ${scans}
    where s.deployment_id = ${db.deploymentId} and s.id = ${id} and ${visibleTo(actor, sql`s.repository_id`)}`,
  )
}

/**
 * The scan that the same upload made before, if it is the latest of its ref and commit: what another upload for the
 * commit has changed since, this one changes back. An old commit's upload that comes again late changes nothing, unless it is
 * known to be of another run: then its ref was set back. Without
 * a commit nobody can tell a repetition from files that were changed and changed back, so then the ref alone counts; for
 * a pull request its number, because its branch may change. One that was blocked is looked at again: what blocked it may
 * have been settled meanwhile; so is a pull request whose base was scanned since, a branch or a pull request that ended
 * since, and so is what other policies or automations may block by now, or what is repeated only after days, unless another
 * commit came after it. `outdated`: advisories have changed since,
 * and nothing came after it that they could be compared with instead.
 */
export async function findRepeated(
  db: Queryable,
  repositoryId: number,
  scan: { digest: Buffer; commit: string; isInventory: boolean; run: string },
): Promise<(ReceiptRow & { outdated: boolean }) | undefined> {
  // PostgreSQL takes longer to plan the statement below than to run it, and almost no upload is a repetition.
  const sameFiles = await db.query(sql`select from scan s where s.deployment_id = ${db.deploymentId}
    and s.repository_id = ${repositoryId} and s.digest = ${scan.digest} limit 1`)
  if (sameFiles.length === 0) return undefined
  const sameCommit = scan.commit === '' ? empty : sql`and newer.commit = s.commit`
  const isLater = sql`newer.deployment_id = ${db.deploymentId} and newer.repository_id = s.repository_id and newer.id > s.id
    and newer.kind = s.kind and newer.source = s.source and newer.pull_request = s.pull_request
    and (newer.ref = s.ref or s.pull_request > 0)`
  const hasLater = sql`exists (select 1 from scan newer where ${isLater})`
  return first(
    db,
    sql`select ${columns}, r.archived, s.receipt, ${openByAdvisories(db.deploymentId)} as open_by_advisories,
      ${advisoriesLoaded} as advisories_loaded,
      not s.findings_only and s.receipt->>'known' is distinct from ${advisoryRevision(db.deploymentId)}
        and case when s.is_inventory then exists (select 1 from ${inventories(db.deploymentId)} i
            where i.repository_id = s.repository_id and i.scan_id = s.id)
          else s.pull_request > 0 and not exists (select 1 from scan newer where newer.deployment_id = ${db.deploymentId}
            and newer.repository_id = s.repository_id and newer.id > s.id and newer.pull_request = s.pull_request
            and not newer.findings_only) end as outdated
    from ${scans}
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.digest = ${scan.digest}
      and (s.is_inventory = ${scan.isInventory} or s.findings_only)
      and not s.receipt @? '$.blockedBy[*]' and not s.receipt @? '$.blockedByRules[*]'
      and not (s.pull_request > 0 and exists (select 1 from scan base where base.deployment_id = ${db.deploymentId}
        and base.repository_id = s.repository_id and base.id > s.id and base.kind = 'SCAN_KIND_FULL' and base.ref = s.base_ref))
      and not exists (select 1 from scan newer where ${isLater} ${sameCommit})
      and (not ${isJudgedOtherwise(db.deploymentId)} or ${hasLater})
      ${scan.run === '' ? empty : sql`and not (coalesce(s.receipt->>'run' <> ${scan.run}, false) and ${hasLater})`}
    order by s.id desc limit 1`,
  )
}

/** What is scanned again and again without a change would be taken for forgotten, sooner than any branch or pull request may be. */
const daysOfRepetition = 3

/** Whether the scan `s` would come out differently by now, though its files and advisories are the same. */
function isJudgedOtherwise(deploymentId: number): Sql {
  const since = sql`s.created_at`
  const place = { repositoryId: sql`s.repository_id`, ref: sql`s.ref`, pullRequest: sql`s.pull_request` }
  return sql`(${blockingChangedSince(deploymentId, since)} or ${endedSince(deploymentId, place, since)}
    or s.pull_request > 0 and ${policiesChangedSince(deploymentId, since)}
    or ${since} < statement_timestamp() - make_interval(days => ${daysOfRepetition}))`
}

export type NewRow = {
  id: number
  repositoryId: number
  kind: Scan['kind']
  ref: string
  commit: string
  pullRequest: number
  baseRef: string
  tool: string
  source: string
  digest: Buffer
  performedAt: Date | undefined
  isInventory: boolean
  /** It has findings and nothing that belongs to an inventory. */
  findingsOnly: boolean
}

/** What a scan will be known by. Asked for behind the lock of its repository: later scans of it have larger ones. */
export async function nextId(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`select nextval('scan_id_seq') as id`)
  return row!.id
}

export async function insert(tx: Transaction, scan: NewRow, receipt: StoredReceipt): Promise<void> {
  const { actor } = tx
  const sum = (key: 'dependencies' | 'problemCount') => receipt.files.reduce((total, file) => total + file[key], 0)
  const findingCount = receipt.files.reduce((total, file) => total + (file.findings?.total ?? 0), 0)
  await tx.query(sql`insert into scan (deployment_id, id, repository_id, kind, ref, commit, pull_request,
      base_ref, tool, source, digest, is_inventory, findings_only, file_count, dependency_count, finding_count, problem_count,
      receipt, performed_at, person_id, token_id)
    overriding system value
    select ${tx.deploymentId}::bigint, ${scan.id}::bigint, ${scan.repositoryId}::bigint, ${scan.kind}, ${scan.ref}, ${scan.commit},
      ${scan.pullRequest}::integer, ${scan.baseRef}, ${scan.tool}, ${scan.source}, ${scan.digest}::bytea,
      ${scan.isInventory}::boolean, ${scan.findingsOnly}::boolean, ${receipt.files.length}::integer,
      ${sum('dependencies')}::integer, ${findingCount}::integer, ${sum('problemCount')}::integer, ${stored(tx, receipt)},
      ${scan.performedAt ?? null}::timestamptz, ${actor.personId}::bigint, ${actor.tokenId}::bigint
    ${rowsNotCopied}`)
}

/** Whether a scan of the same ref, or for the same pull request, was made later than this. */
export async function hasLater(
  tx: Transaction,
  scan: Omit<NewRow, 'id' | 'isInventory' | 'findingsOnly'>,
): Promise<boolean> {
  const [row] = await tx.query<{ later: boolean }>(sql`select exists (select 1 from scan s
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${scan.repositoryId} and s.kind = ${scan.kind}
      and (s.ref = ${scan.ref} or s.pull_request > 0) and s.pull_request = ${scan.pullRequest}
      and coalesce(s.performed_at, s.created_at) > ${scan.performedAt ?? null}) as later`)
  return row!.later
}

/**
 * Whether more than this part was looked at before, on the same ref or in the same pull request. The last scan that names a part
 * tells, as each takes over what those before it told; of those after it, their files do.
 */
export async function sawOutside(
  tx: Transaction,
  repositoryId: number,
  { part, kind, ref, pullRequest, source }: Pick<NewRow, 'kind' | 'ref' | 'pullRequest' | 'source'> & { part: string },
): Promise<boolean> {
  const before = sql`scan s where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.kind = ${kind}
    and s.source = ${source} and ${pullRequest > 0 ? sql`s.pull_request = ${pullRequest}` : sql`s.pull_request = 0 and s.ref = ${ref}`}`
  const [row] = await tx.query<{ outside: boolean }>(sql`with told as materialized (
      select s.id, s.receipt->>'part' <> ${part} or s.receipt ? 'outside' as outside from ${before} and s.receipt ? 'part'
      order by s.id desc limit 1)
    select coalesce((select outside from told), false) or exists (
      select from ${before} and s.id > coalesce((select id from told), 0)
        and exists (select from jsonb_array_elements(s.receipt->'files') file
          where not starts_with(file->>'path', ${`${part}/`}))) as outside`)
  return row!.outside
}

/** What only became known after the scan had its number. */
export async function settleReceipt(tx: Transaction, id: number, receipt: StoredReceipt): Promise<void> {
  await tx.query(sql`update scan set receipt = ${stored(tx, receipt)}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

function stored({ deploymentId }: Transaction, receipt: StoredReceipt): Sql {
  return sql`${JSON.stringify(receipt)}::jsonb || jsonb_build_object('known', ${advisoryRevision(deploymentId)})`
}

export async function listTags(db: Queryable, repositoryId: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select t.name from repository_tag rt
    join tag t on t.deployment_id = rt.deployment_id and t.id = rt.tag_id
    where rt.deployment_id = ${db.deploymentId} and rt.repository_id = ${repositoryId} order by t.name`)
  return rows.map((row) => row.name)
}

async function first<Row>(db: Queryable, statement: Sql): Promise<Row | undefined> {
  return (await db.query<Row>(statement))[0]
}
