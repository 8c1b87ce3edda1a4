import { Fault } from '../../kernel/contract/fault.ts'

/** OpenPGP (`.asc`, `.sig`) and Sigstore bundles. */
const ending = /\.(?:asc|sig|sigstore|sigstore\.json)$/
const mostKib = 256

/**
 * Of many signatures no checksum is published, by Maven Central neither. They need none: nothing runs them, and one that was
 * changed fits no artifact.
 */
export function isSignature(path: string): boolean {
  return ending.test(path)
}

export function readSignature(body: Buffer): Buffer {
  if (body.length <= mostKib * 1024) return body
  throw new Fault('bad_upstream', `What the repository sent is over ${mostKib} KiB, so it is not a signature.`)
}
