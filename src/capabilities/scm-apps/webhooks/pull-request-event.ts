/** What an event says about the end of a pull request. */
export type PullRequestEnd = { project: string; repository: string; pullRequest: number; merged: boolean }

const mostNumber = 2_147_483_647

/** Undefined for every other event. The body is whatever somebody with the secret sends, so nothing of it is taken for granted. */
export function readPullRequestEnd(event: Record<string, unknown>): PullRequestEnd | undefined {
  const resource = fields(event.resource)
  const { status, pullRequestId } = resource
  const repository = fields(resource.repository)
  const project = fields(repository.project)
  if (status !== 'completed' && status !== 'abandoned') return undefined
  if (typeof pullRequestId !== 'number' || !Number.isInteger(pullRequestId)) return undefined
  if (pullRequestId < 1 || pullRequestId > mostNumber) return undefined
  if (typeof repository.name !== 'string' || typeof project.name !== 'string') return undefined
  return {
    project: project.name,
    repository: repository.name,
    pullRequest: pullRequestId,
    merged: status === 'completed',
  }
}

export function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
