const byStrength = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const
export type Algorithm = (typeof byStrength)[number]

/** The sums of go.sum: of all files in the zip of a module, and of its go.mod. */
const moduleAlgorithms = ['h1', 'h1mod'] as const
export type ModuleAlgorithm = (typeof moduleAlgorithms)[number]

/** What a registry says the bytes of an artifact, or what is in them, hash to. */
export type Digest = { algorithm: Algorithm | ModuleAlgorithm; hex: string }

const hexLengths: Record<Algorithm, number> = { md5: 32, sha1: 40, sha256: 64, sha384: 96, sha512: 128 }

/** Undefined for what is not a digest of that algorithm. */
export function digestOf(algorithm: string, hex: string): Digest | undefined {
  const known = byStrength.find((name) => name === algorithm.toLowerCase())
  const isWhole = known && hex.length === hexLengths[known] && /^[0-9a-fA-F]+$/.test(hex)
  return isWhole ? { algorithm: known, hex: hex.toLowerCase() } : undefined
}

/** Both are SHA-256 inside. */
export function moduleDigest(algorithm: ModuleAlgorithm, hex: string): Digest | undefined {
  return digestOf('sha256', hex) && { algorithm, hex }
}

export function isModuleAlgorithm(algorithm: Digest['algorithm']): algorithm is ModuleAlgorithm {
  return (moduleAlgorithms as readonly string[]).includes(algorithm)
}

/** Subresource integrity, `sha512-<base64>`, several separated by spaces: the strongest of them. */
export function parseIntegrity(text: string): Digest | undefined {
  const all = text.split(/\s+/).map((entry) => {
    const [, algorithm, base64] = /^([a-z0-9]+)-([A-Za-z0-9+/]+={0,2})(\?.*)?$/.exec(entry) ?? []
    return algorithm && base64 ? digestOf(algorithm, Buffer.from(base64, 'base64').toString('hex')) : undefined
  })
  return strongest(all)
}

export function strongest(digests: (Digest | undefined)[]): Digest | undefined {
  const strength = ({ algorithm }: Digest) => (byStrength as readonly string[]).indexOf(algorithm)
  return digests.filter((digest) => digest !== undefined).sort((a, b) => strength(b) - strength(a))[0]
}
