import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

export type ConsoleFile = {
  type: string
  etag: string
  plain: Buffer
  /** The better one first. */
  packed: { coding: 'br' | 'gzip'; content: Buffer }[]
}

export type ConsoleFiles = { page: ConsoleFile; assets: ReadonlyMap<string, ConsoleFile> }

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/**
 * All of it in memory, by name. What a client asks for is only ever looked up among these names, so no path it can think of
 * leads to another file.
 */
export async function loadConsole({ folder }: { folder: string }): Promise<ConsoleFiles> {
  const page = await loadFile(join(folder, 'index.html'))
  const entries = await readdir(join(folder, 'assets'), { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && types[extname(entry.name)]).map(({ name }) => name)
  const files = names.map(async (name) => [name, await loadFile(join(folder, 'assets', name))] as const)
  return { page, assets: new Map(await Promise.all(files)) }
}

async function loadFile(path: string): Promise<ConsoleFile> {
  const plain = await readFile(path)
  const [br, gzip] = await Promise.all([readIfThere(`${path}.br`), readIfThere(`${path}.gz`)])
  const packed: ConsoleFile['packed'] = []
  if (br) packed.push({ coding: 'br', content: br })
  if (gzip) packed.push({ coding: 'gzip', content: gzip })
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`
  return { type: types[extname(path)]!, etag, plain, packed }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
