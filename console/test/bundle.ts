import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Metafile } from 'esbuild'

export type Bundle = ReturnType<typeof readBundle>

/** What the build made, and how large it is when it is sent. */
export function readBundle(folder: string) {
  const { outputs } = JSON.parse(readFileSync(join(folder, 'metafile.json'), 'utf8')) as Metafile
  const main = Object.keys(outputs).find((path) => outputs[path]!.entryPoint?.endsWith('console/main.tsx'))!

  /** A file and all that it cannot start without. */
  function whole(path: string, seen = new Set<string>()): Set<string> {
    if (seen.has(path)) return seen
    seen.add(path)
    for (const part of outputs[path]!.imports)
      if (part.kind === 'import-statement' && outputs[part.path]) whole(part.path, seen)
    return seen
  }

  const packedKB = (path: string) => statSync(join(folder, 'assets', `${basename(path)}.gz`)).size / 1_000
  /** From the sign-in to the first page. */
  const first = whole(main)
  const firstKB = [...first].reduce((sum, path) => sum + packedKB(path), 0)
  return { outputs, first, firstKB, packedKB }
}
