import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Identity, succeedsAs } from '../cluster/identity.ts'
import { PostgresProblem } from '../problem.ts'

/** What was written is in the archive after this many seconds, however little it is. */
export const archiveSeconds = 60

/** Each database archives into a folder of its own, so that one that was restored never meets the one it came from. */
export function archiveOf(folder: string, id: string): string {
  return join(folder, id)
}

export function walFolder(archive: string): string {
  return join(archive, 'wal')
}

/** Makes the folders, and sees that the user of PostgreSQL can write there. */
export async function prepareArchive(archive: string, identity: Identity): Promise<void> {
  const wal = walFolder(archive)
  makeReachable(archive)
  mkdirSync(wal, { recursive: true, mode: 0o700 })
  if (identity) chownSync(wal, identity.uid, identity.gid)
  const tried = 'command -v gzip && command -v cmp && command -v sync && cd -- "$1" && : > try && rm try'
  if (await succeedsAs(identity, '/bin/sh', ['-c', tried, 'sh', wal])) return
  const user = identity ? `user '${identity.name}', as whom PostgreSQL runs,` : 'the user that runs Gatehouse'
  throw new PostgresProblem(
    `WAL cannot be archived in '${wal}': ${user} has to be able to write there, and the programs gzip, cmp and sync have ` +
      'to be installed. Give the folder in GATEHOUSE_WAL_ARCHIVE to that user, or choose another.',
  )
}

/** Whoever is not root has made it for themselves; root's has to let the user of PostgreSQL through. */
function makeReachable(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })) return
  makeReachable(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
  if (process.getuid?.() === 0) chmodSync(folder, 0o711)
}

export function archiveSettings(archive: string): Record<string, string> {
  return { archive_mode: 'on', archive_timeout: String(archiveSeconds), archive_command: archiveCommand(archive) }
}

/**
 * Compressed, because most of a segment that was ended early is empty. It has its name when it is whole and on disk. PostgreSQL may
 * send one again after a crash: the same is taken for done, another one is not written over.
 */
function archiveCommand(archive: string): string {
  const wal = quoted(walFolder(archive))
  return (
    `f=${wal}/%f.gz; if test -f "$f"; then gzip -dc "$f" | cmp -s - "%p"; ` +
    `else gzip -1c "%p" > "$f.part" && sync "$f.part" && mv "$f.part" "$f" && sync ${wal}; fi`
  )
}

/** Where there is no such segment the archive has ended; one that is there and damaged ends the recovery (above 125). */
export function restoreCommand(archive: string): string {
  return `f=${quoted(walFolder(archive))}/%f.gz; test -f "$f" || exit 1; gzip -dc "$f" > "%p" || exit 126`
}

/** For a shell, in a setting of PostgreSQL that gives % a meaning. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`
}
