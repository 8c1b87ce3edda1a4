import { asBranch, deletedBranch } from '../../../domain/deleted-branch.ts'
import { type Fields, fieldsOf } from '../hosts/host-request.ts'

/** A branch that an event says was deleted. */
type DeletedBranch = { repository: string; ref: string }

/** Undefined for every other event. */
export function readDeletedBranch(kind: 'github' | 'gitlab', name: string, event: Fields): DeletedBranch | undefined {
  const [repository, ref] = kind === 'github' ? readGitHub(name, event) : readGitLab(event)
  return typeof repository === 'string' && ref !== undefined ? { repository, ref } : undefined
}

type Claimed = [repository: unknown, ref: string | undefined]

/** Whichever of the two the webhook is for: `delete` has the name alone, `push` the whole ref. */
function readGitHub(name: string, event: Fields): Claimed {
  const repository = fieldsOf(event.repository).full_name
  if (name === 'delete') return [repository, event.ref_type === 'branch' ? asBranch(event.ref) : undefined]
  return [repository, name === 'push' ? deletedBranch(event.ref, event.after) : undefined]
}

/** Of tags it tells by `tag_push`. */
function readGitLab(event: Fields): Claimed {
  const ref = event.object_kind === 'push' ? deletedBranch(event.ref, event.after) : undefined
  return [fieldsOf(event.project).path_with_namespace, ref]
}
