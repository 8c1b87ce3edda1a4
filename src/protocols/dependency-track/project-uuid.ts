import { createHash } from 'node:crypto'

/**
 * RFC 9562 §5.8: the id of the repository and a digest, so that a project is found again without a table of ids. The same repository
 * and version always have the same.
 */
export function projectUuid(deploymentId: number, repositoryId: number, version: string): string {
  return uuidOf(repositoryId, JSON.stringify([deploymentId, repositoryId, version]))
}

/** Which repository it would be of; undefined where it is not one of ours. Its other half has to be compared. */
export function repositoryIn(uuid: string): number | undefined {
  const [, high, low, version] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-(8)[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(uuid) ?? []
  return version ? Number.parseInt(`${high}${low}`, 16) : undefined
}

/** Of anything else that clients want an id for. */
export function stableUuid(...parts: (string | number)[]): string {
  const text = JSON.stringify(parts)
  return uuidOf(createHash('sha256').update(text).digest().readUIntBE(0, 6), text)
}

function uuidOf(number: number, text: string): string {
  const front = number.toString(16).padStart(12, '0')
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[3]!, 16) % 4]
  return `${front.slice(0, 8)}-${front.slice(8)}-8${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`
}
