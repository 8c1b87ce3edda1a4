import { type Fields, fieldsOf } from '../hosts/host-request.ts'

/** What an event says about the end of a pull request. */
type PullRequestEnd = { repository: string; pullRequest: number; merged: boolean }

const mostNumber = 2_147_483_647

/** Undefined for every other event. */
export function readPullRequestEnd(kind: 'github' | 'gitlab', name: string, event: Fields): PullRequestEnd | undefined {
  const end = kind === 'github' ? readGitHub(name, event) : readGitLab(event)
  if (!end || typeof end.repository !== 'string') return undefined
  const { pullRequest } = end
  if (typeof pullRequest !== 'number' || !Number.isInteger(pullRequest)) return undefined
  if (pullRequest < 1 || pullRequest > mostNumber) return undefined
  return { repository: end.repository, pullRequest, merged: end.merged }
}

type Claimed = { repository: unknown; pullRequest: unknown; merged: boolean }

function readGitHub(name: string, event: Fields): Claimed | undefined {
  if (name !== 'pull_request' || event.action !== 'closed') return undefined
  const { number, merged } = fieldsOf(event.pull_request)
  return { repository: fieldsOf(event.repository).full_name, pullRequest: number, merged: merged === true }
}

function readGitLab(event: Fields): Claimed | undefined {
  const { state, iid } = fieldsOf(event.object_attributes)
  if (event.object_kind !== 'merge_request' || (state !== 'closed' && state !== 'merged')) return undefined
  return { repository: fieldsOf(event.project).path_with_namespace, pullRequest: iid, merged: state === 'merged' }
}
