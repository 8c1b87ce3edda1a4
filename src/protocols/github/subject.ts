import type { NewScan } from '../../capabilities/scans/contract.ts'

/** What a ref of GitHub's is about. */
export type Subject = Pick<NewScan, 'ref' | 'kind' | 'pullRequest' | 'baseRef'>

/** `baseRef`: where the request does not say what a pull request goes to, the default branch. */
export function subjectOf(ref: string, baseRef: string): Subject {
  const pullRequest = /^refs\/pull\/([1-9][0-9]{0,8})\/(merge|head)$/.exec(ref)?.[1]
  if (pullRequest === undefined) return { ref: ref.replace(/^refs\/(heads|tags)\//, '') }
  return {
    ref,
    kind: 'SCAN_KIND_PULL_REQUEST',
    pullRequest: Number(pullRequest),
    baseRef: baseRef.replace(/^refs\/heads\//, ''),
  }
}

/** `file:///home/runner/work/app/app/`, without the slash at its end. */
export function checkoutFolder(uri: string | undefined): string {
  return (uri ?? '').replace(/(?<=[^/])\/+$/, '')
}

/**
 * What the action is told where it asks for the file of its workflow, which is not known here. It begins the analysis key with it,
 * and with that the category of a log that names none.
 */
export const unknownWorkflow = 'unknown-workflow'

/** What tells analyses apart whose logs name no category: the job that made them, and its matrix. */
export function categoryOf(analysisKey = '', environment = '', workflowName = ''): string {
  const key = workflowName ? analysisKey.replace(startOfUnknown, () => workflowName) : analysisKey
  return [key, plainEnvironment(environment)].filter(Boolean).join('/')
}

const startOfUnknown = new RegExp(`^${unknownWorkflow}(?=:)`)

/** The same however its members are ordered; as it was sent where it is not an object of JSON. */
function plainEnvironment(written: string): string {
  try {
    const members = Object.entries(JSON.parse(written) as object)
    return members
      .map(([name, value]) => `${name}:${String(value)}`)
      .sort()
      .join('/')
  } catch {
    return written
  }
}
