/** Git's name for no object, with SHA-1 or SHA-256: what a ref points to when it is deleted. */
const noObject = /^(?:0{40}|0{64})$/

/** The branch that an update of a ref deleted, by its name; undefined where it did not, and for tags and other refs. */
export function deletedBranch(ref: unknown, newObject: unknown): string | undefined {
  const prefix = 'refs/heads/'
  if (typeof ref !== 'string' || !ref.startsWith(prefix)) return undefined
  return typeof newObject === 'string' && noObject.test(newObject) ? asBranch(ref.slice(prefix.length)) : undefined
}

/** Scans of tags are kept under their whole ref, so a branch that is called like one is not told from it. */
export function asBranch(name: unknown): string | undefined {
  return typeof name === 'string' && name !== '' && !name.startsWith('refs/') ? name : undefined
}
