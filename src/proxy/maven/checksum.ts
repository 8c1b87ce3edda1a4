import { Fault } from '../../kernel/contract/fault.ts'
import { type Digest, digestOf } from '../cache/digest.ts'

const algorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const
export type Algorithm = (typeof algorithms)[number]

/** In the order in which repositories are likely to have them. */
export const checksumAlgorithms: readonly Algorithm[] = algorithms

export function digestEnding(file: string): Algorithm | undefined {
  return algorithms.find((algorithm) => file.endsWith(`.${algorithm}`))
}

/** A checksum file is the digest alone, or with the name of the file after it or before it, as old tools wrote them. */
export function readChecksum(body: Buffer, algorithm: Algorithm): Digest {
  const words = body.length > 1_024 ? [] : body.toString('latin1').split(/[\s=()*]+/)
  for (const word of words) {
    const digest = digestOf(algorithm, word)
    if (digest) return digest
  }
  throw new Fault('bad_upstream', `What the repository sent is not a ${algorithm} checksum.`)
}
