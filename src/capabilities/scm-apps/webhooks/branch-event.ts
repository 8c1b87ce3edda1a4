import { deletedBranch } from '../../../domain/deleted-branch.ts'
import { fields } from './pull-request-event.ts'

/** What a push says about branches that it deleted. */
export type DeletedBranches = { project: string; repository: string; refs: string[] }

/** Undefined for every other event. */
export function readDeletedBranches(event: Record<string, unknown>): DeletedBranches | undefined {
  const { refUpdates, repository } = fields(event.resource)
  const { name } = fields(repository)
  const { name: project } = fields(fields(repository).project)
  if (!Array.isArray(refUpdates) || typeof name !== 'string' || typeof project !== 'string') return undefined
  const updates = refUpdates.map(fields)
  const refs = updates.map((one) => deletedBranch(one.name, one.newObjectId)).filter((ref) => ref !== undefined)
  return refs.length > 0 ? { project, repository: name, refs } : undefined
}
