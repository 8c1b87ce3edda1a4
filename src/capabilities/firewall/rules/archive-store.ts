import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { SeenArtifact } from '../verdicts/verdict.ts'
import { versionKey } from '../version-key.ts'
import type { SeenArchives } from './known-package.ts'
import type { ArchiveFacts } from './release-facts.ts'

type Row = { version: string; digest: string; seen: ArchiveFacts }

/** What was seen in the artifacts of a package. */
export async function seenArchives(db: Queryable, ecosystem: EcosystemId, name: string): Promise<SeenArchives> {
  const rows = await db.query<Row>(sql`select version, digest, seen from firewall_archive
    where deployment_id = ${db.deploymentId} and name = ${name} and ecosystem = ${ecosystem} order by digest`)
  const known: SeenArchives = { byDigest: new Map(), byVersion: new Map() }
  for (const { version, digest, seen } of rows) addArchive(known, { ecosystem, name, version, digest }, seen)
  return known
}

/** The same artifact always shows the same, so who was first does not matter. */
export async function putArchive(tx: Transaction, artifact: SeenArtifact, seen: ArchiveFacts): Promise<void> {
  const { ecosystem, name, version, digest } = artifact
  await tx.query(sql`insert into firewall_archive (deployment_id, name, ecosystem, digest, version, seen)
    values (${tx.deploymentId}, ${name}, ${ecosystem}, ${digest}, ${version}, ${JSON.stringify(seen)}::jsonb)
    on conflict do nothing`)
}

export function addArchive(known: SeenArchives, artifact: SeenArtifact, seen: ArchiveFacts): void {
  known.byDigest.set(artifact.digest, seen)
  if (tells(seen)) known.byVersion.set(versionKey(artifact.ecosystem, artifact.version), seen)
}

/** What one file of a version shows is held against all of them: a client that is refused a wheel would take the next. */
export function archiveOf(
  { byDigest, byVersion }: SeenArchives,
  ecosystem: EcosystemId,
  version: string,
  digest: string | undefined,
): ArchiveFacts | undefined {
  const known = byVersion.size > 0 ? byVersion.get(versionKey(ecosystem, version)) : undefined
  return known ?? (digest === undefined ? undefined : byDigest.get(digest))
}

function tells({ signals, installScript, isUnreadable = false }: ArchiveFacts): boolean {
  return signals.length > 0 || installScript !== undefined || isUnreadable
}
