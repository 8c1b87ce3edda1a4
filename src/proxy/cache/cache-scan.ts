import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { CacheIndex } from './cache-index.ts'

const abandonedMs = 60 * 60 * 1000
/** This many are entered while other processes wait. */
const atOnce = 500

/** Makes the index agree with the files that are there; temporary ones of processes that nobody knows are removed. */
export async function scanCache(folder: string, index: CacheIndex): Promise<void> {
  const found = await filesIn(folder)
  const names = new Set(found.map(({ name }) => name))
  for (let at = 0; at < found.length; at += atOnce) {
    await index.run((transaction) => {
      for (const { name, bytes, usedAt } of found.slice(at, at + atOnce)) transaction.addMissing(name, bytes, usedAt)
    })
  }
  for (let last: string | undefined = ''; last !== undefined; ) {
    const after: string = last
    last = await index.run((transaction) => {
      const rows = transaction.after(after, atOnce)
      // Files get their names within such a transaction, so what is not there now is gone.
      for (const { name } of rows) if (!names.has(name) && !existsSync(join(folder, name))) transaction.remove(name)
      return rows.at(-1)?.name
    })
  }
}

async function filesIn(folder: string): Promise<{ name: string; bytes: number; usedAt: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const found: { name: string; bytes: number; usedAt: number }[] = []
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    if (!entry.isFile() || name.startsWith('index/')) continue
    const facts = await stat(path).catch(() => undefined)
    if (!facts) continue
    if (!name.startsWith('incoming/')) {
      found.push({ name, bytes: facts.size, usedAt: Math.round(facts.mtimeMs * 1000) })
    } else if (Date.now() - facts.mtimeMs > abandonedMs) {
      await rm(path, { force: true })
    }
  }
  return found
}
