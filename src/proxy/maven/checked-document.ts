import { digestInSteps } from '../cache/digest-in-steps.ts'
import { bytesOf, type Fetched, type Validators } from '../cache/documents.ts'
import { bad, fetchDocument, type Upstream } from '../upstream/upstream.ts'
import { checksumAlgorithms, readChecksum } from './checksum.ts'
import { isSignature } from './signature.ts'

/**
 * Metadata or a signature as the repository's own checksum says it is; a repository without one is believed. Where they differ
 * both are asked for once more: whoever publishes writes one after the other.
 */
export async function fetchChecked(upstream: Upstream, path: string, known: Validators): Promise<Fetched> {
  const from = isSignature(path) ? 'where it leads' : 'itself'
  for (const validators of [known, {}]) {
    const fetched = await fetchDocument(upstream, upstream.url + path, 'application/xml, */*', validators, from)
    if (fetched.state !== 'found') return fetched
    let isRight = false
    try {
      isRight = await isAsPublished(upstream, path, fetched.body)
    } finally {
      if (!isRight) fetched.release?.()
    }
    if (isRight) return fetched
  }
  throw bad(upstream, `has ${path}, but that is not what its checksum says.`)
}

/** Some repositories keep the files of a version on another host, the Gradle plugin portal does, and lead there. */
export function fetchChecksum(upstream: Upstream, path: string, known: Validators): Promise<Fetched> {
  return fetchDocument(upstream, upstream.url + path, 'text/plain, */*', known, 'where it leads')
}

async function isAsPublished(upstream: Upstream, path: string, body: Buffer): Promise<boolean> {
  for (const algorithm of checksumAlgorithms) {
    const fetched = await fetchChecksum(upstream, `${path}.${algorithm}`, {})
    if (fetched.state !== 'found') continue
    const published = readChecksum(bytesOf(fetched), algorithm).hex
    return (await digestInSteps(algorithm, body)).toString('hex') === published
  }
  return true
}
