import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { SeenArtifact } from '../verdicts/verdict.ts'
import { versionKey } from '../version-key.ts'
import type { SeenArchive, SeenArchives } from './known-package.ts'
import { type ArchiveFacts, archiveReader } from './release-facts.ts'

type Row = { version: string; digest: string; seen: ArchiveFacts; reader: number }

/** What was seen in the artifacts of a package. */
export async function seenArchives(db: Queryable, ecosystem: EcosystemId, name: string): Promise<SeenArchives> {
  const rows = await db.query<Row>(sql`select version, digest, seen, reader from firewall_archive
    where deployment_id = ${db.deploymentId} and name = ${name} and ecosystem = ${ecosystem} order by digest`)
  const known: SeenArchives = new Map()
  for (const { version, digest, seen, reader } of rows)
    add(known, versionKey(ecosystem, version), { digest, seen, isOld: reader < archiveReader })
  return known
}

/** One reader always sees the same in the same artifact, so who was first does not matter. */
export async function putArchive(tx: Transaction, artifact: SeenArtifact, seen: ArchiveFacts): Promise<void> {
  const { ecosystem, name, version, digest } = artifact
  await tx.query(sql`insert into firewall_archive (deployment_id, name, ecosystem, digest, version, seen, reader)
    values (${tx.deploymentId}, ${name}, ${ecosystem}, ${digest}, ${version}, ${JSON.stringify(seen)}::jsonb, ${archiveReader})
    on conflict (deployment_id, name, ecosystem, digest) do update
      set version = excluded.version, seen = excluded.seen, reader = excluded.reader, seen_at = excluded.seen_at
      where firewall_archive.reader < excluded.reader`)
}

export function addArchive(
  known: SeenArchives,
  { ecosystem, version, digest }: SeenArtifact,
  seen: ArchiveFacts,
): void {
  add(known, versionKey(ecosystem, version), { digest, seen, isOld: false })
}

function add(known: SeenArchives, key: string, one: SeenArchive): void {
  const others = known.get(key)?.filter(({ digest }) => digest !== one.digest) ?? []
  known.set(key, [...others, one])
}

/**
 * What one file of a version shows is held against all of them: a client that is refused a wheel would take the next. What an older reader
 * saw in a file is held against the others alone: the file itself is looked into again.
 */
export function archiveOf(
  archives: SeenArchives,
  ecosystem: EcosystemId,
  version: string,
  digest: string | undefined,
): ArchiveFacts | undefined {
  const known = archives.size > 0 ? archives.get(versionKey(ecosystem, version)) : undefined
  const told = known?.find((one) => tells(one) && !(one.isOld && one.digest === digest))
  return (told ?? known?.find((one) => !one.isOld && one.digest === digest))?.seen
}

/** That an older reader could not read a file says more of the reader. */
function tells({ seen: { signals, installScript, isUnreadable = false }, isOld }: SeenArchive): boolean {
  return signals.length > 0 || installScript !== undefined || (isUnreadable && !isOld)
}
