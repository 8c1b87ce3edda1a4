import { fchownSync, fstatSync, lchownSync, statSync } from 'node:fs'

/**
 * As root in somebody's data folder: what is made there is theirs, so that they can start without us next time. Never by way of a link,
 * which they could lay to a file that is not theirs.
 */
export function giveToOwner(folder: string, made: number | string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  if (typeof made === 'string') lchownSync(made, uid, gid)
  // Another name for a file of somebody else is not one that we have made.
  else if (fstatSync(made).nlink <= 1) fchownSync(made, uid, gid)
}
