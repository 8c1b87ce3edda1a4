import { Fault } from '../../kernel/contract/fault.ts'
import type { SemgrepProject } from './contract.ts'

/** What a run scans, in our words. */
export type Target = {
  repository: string
  /** Branch or tag; of a pull request the one that it comes from. */
  ref: string
  commit: string
  /** 0 where it is not about a pull request. */
  pullRequest: number
  /** The client looked at everything, and not only at what differs from the base. */
  whole: boolean
  client: string
}

const mostPullRequest = 2_147_483_647

export function targetOf(project: SemgrepProject, cliVersion: string): Target {
  const branch = (project.branch ?? '').trim()
  const pullRequest = pullRequestOf(project.pull_request_id ?? '', branch)
  // Git's own word for a checkout of no branch.
  if (branch === '' || branch === 'HEAD') {
    const detail = 'Semgrep does not know which branch is checked out. Set SEMGREP_BRANCH to its name.'
    throw new Fault('unprocessable', detail)
  }
  const commit = (project.commit ?? '').toLowerCase()
  return {
    repository: project.repo_display_name || project.repository,
    ref: branch,
    commit: /^[0-9a-f]{7,64}$/.test(commit) ? commit : '',
    pullRequest,
    whole: project.is_full_scan,
    client: `semgrep/${cliVersion}`,
  }
}

/** GitHub's pull requests come without their number, on a ref that has it. */
function pullRequestOf(id: string, branch: string): number {
  const [, number = '0'] = /^([0-9]{1,10})$/.exec(id) ?? /^refs\/pull\/([0-9]{1,10})\//.exec(branch) ?? []
  return Number(number) <= mostPullRequest ? Number(number) : 0
}
