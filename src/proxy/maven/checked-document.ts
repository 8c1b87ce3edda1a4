import { digestInSteps } from '../cache/digest-in-steps.ts'
import { bytesOf, type Fetched, type Validators } from '../cache/documents.ts'
import { bad, fetchDocument, type Upstream } from '../upstream/upstream.ts'
import { checksumAlgorithms, readChecksum } from './checksum.ts'

/**
 * Metadata or a signature as the repository's own checksum says it is; a repository without one is believed. Where they differ
 * both are asked for once more: whoever publishes writes one after the other.
 */
export async function fetchChecked(upstream: Upstream, path: string, known: Validators): Promise<Fetched> {
  const url = upstream.url + path
  for (const validators of [known, {}]) {
    const fetched = await fetchDocument(upstream, url, 'application/xml, */*', validators)
    if (fetched.state !== 'found') return fetched
    let isRight = false
    try {
      isRight = await isAsPublished(upstream, url, fetched.body)
    } finally {
      if (!isRight) fetched.release?.()
    }
    if (isRight) return fetched
  }
  throw bad(upstream, `has ${path}, but that is not what its checksum says.`)
}

async function isAsPublished(upstream: Upstream, url: string, body: Buffer): Promise<boolean> {
  for (const algorithm of checksumAlgorithms) {
    const fetched = await fetchDocument(upstream, `${url}.${algorithm}`, 'text/plain, */*', {})
    if (fetched.state !== 'found') continue
    const published = readChecksum(bytesOf(fetched), algorithm).hex
    return (await digestInSteps(algorithm, body)).toString('hex') === published
  }
  return true
}
