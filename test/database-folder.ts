import { existsSync, globSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Memory with the names of a file system, where Linux has it. */
const memory = '/dev/shm'
/** More than all databases of a run take at once, and than containers have without being asked. */
const enoughBytes = 6 * 1024 ** 3
/** No run takes so long: what is older was left behind by one that was killed. */
const oldMs = 24 * 60 * 60_000
/** Of these folders alone: others of that age may still be somebody's. */
const name = 'gatehouse-test-databases-'

/**
 * A new folder for a PostgreSQL that nothing has to outlive. In memory where there is enough of it: a database is a thousand files, and
 * to make and delete them for each test takes a disk's file system longer than most tests take.
 */
export function databaseFolder(): string {
  if (!hasRoom()) return mkdtempSync(join(tmpdir(), name))
  for (const left of globSync(join(memory, `${name}*`))) if (isOld(left)) rmSync(left, { recursive: true, force: true })
  return mkdtempSync(join(memory, name))
}

function hasRoom(): boolean {
  if (!existsSync(memory) || process.availableMemory() < enoughBytes) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > enoughBytes
}

function isOld(folder: string): boolean {
  const made = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? Date.now()
  return Date.now() - made > oldMs
}
