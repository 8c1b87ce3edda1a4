import { firstSum, rememberSum } from '../../capabilities/package-names/public.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { ArtifactSource } from '../artifact-source.ts'
import { type Digest, type ModuleAlgorithm, moduleDigest } from '../cache/digest.ts'
import { bad, type Upstream } from '../upstream/upstream.ts'

export type FirstSeen = ReturnType<typeof createFirstSeen>

/**
 * For registries that no checksum database vouches for: what a file hashed to when it first came is what it has to hash to from then
 * on, since a version of a module never changes.
 */
export function createFirstSeen(db: Database, source: ArtifactSource) {
  /** Undefined where the registry does not have it. */
  async function digestOf(
    { deploymentId }: Actor,
    upstream: Upstream,
    path: string,
    algorithm: ModuleAlgorithm,
  ): Promise<Digest | undefined> {
    const file = { registry: upstream.url, file: path }
    const known = await firstSum(db, deploymentId, file)
    if (known !== undefined) return moduleDigest(algorithm, known)
    const found = await source.accept({ upstream, url: new URL(upstream.url + path), algorithm, what: path })
    if (!found) return undefined
    if ((await rememberSum(db, deploymentId, file, found.hex)) === found.hex) return found
    throw bad(upstream, `sent other bytes for ${path} than a moment before.`)
  }

  return { digestOf }
}
