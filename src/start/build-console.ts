import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConsoleBuild } from '../http/console/console.ts'

const builder = join(import.meta.dirname, '..', '..', 'console', 'build.ts')

/**
 * The web console, built from its sources where this has not been done before. Its tools are loaded here and not before: the
 * API does without them.
 */
export function buildConsole(): Promise<ConsoleBuild> {
  const built = import(pathToFileURL(builder).href).then((module: { buildConsole: () => Promise<ConsoleBuild> }) =>
    module.buildConsole(),
  )
  // Who asks for a page is told; until then nobody waits for it.
  built.catch(() => {})
  return built
}
