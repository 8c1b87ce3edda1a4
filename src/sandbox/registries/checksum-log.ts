import { createHash, generateKeyPairSync, sign } from 'node:crypto'

const hashOf = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/**
 * A checksum database for the go command (golang.org/design/25530-sumdb): records in a tree of hashes (RFC 6962), whose root is
 * signed. It has one tile, so clients get on with fewer than 256 records.
 */
export function createChecksumLog() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = Buffer.concat([Buffer.from([1]), publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)])
  const records: { about: string; text: string }[] = []
  const leaves: Buffer[] = []

  function add(about: string, text: string): void {
    records.push({ about, text })
    leaves.push(hashOf(Buffer.from([0]), text))
  }

  /** What GOSUMDB is set to. */
  function verifier(name: string): string {
    return `${name}+${keyHash(name).toString('hex')}+${key.toString('base64')}`
  }

  const keyHash = (name: string) => hashOf(`${name}\n`, key).subarray(0, 4)

  function signedTree(name: string): string {
    const text = `go.sum database tree\n${leaves.length}\n${rootOf(leaves).toString('base64')}\n`
    const signature = Buffer.concat([keyHash(name), sign(null, Buffer.from(text), privateKey)])
    return `${text}\n— ${name} ${signature.toString('base64')}\n`
  }

  /** Undefined where there is none. */
  function answer(name: string, path: string): Buffer | string | undefined {
    if (path === 'supported') return ''
    if (path === 'latest') return signedTree(name)
    const [, width] = /^tile\/8\/0\/000\.p\/(\d+)$/.exec(path) ?? []
    if (width !== undefined) return Buffer.concat(leaves.slice(0, Number(width)))
    const id = records.findIndex(({ about }) => path === `lookup/${about}`)
    return id < 0 ? undefined : `${id}\n${records[id]!.text}\n${signedTree(name)}`
  }

  return { add, verifier, answer }
}

/** RFC 6962 §2.1. */
function rootOf(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return hashOf('')
  if (leaves.length === 1) return leaves[0]!
  let left = 1
  while (left * 2 < leaves.length) left *= 2
  return hashOf(Buffer.from([1]), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)))
}
