import type { NewScan } from '../capabilities/scans/contract.ts'
import type { Environment } from './scan/subject/ci-environment.ts'
import { git } from './scan/subject/git-checkout.ts'

/** How the services name a pull request in the message of the commit that merges it. */
const namings = [
  /^Merge pull request #(\d+) from /,
  /^Merged PR (\d+): /,
  /^Merged in .* \(pull request #(\d+)\)$/m,
  /^See merge request \S*!(\d+)$/m,
]
/** GitHub's own for a squashed one. Elsewhere people write the issue so that a commit is about. */
const squashed = /^[^\n]* \(#(\d+)\)(?:\n|$)/
const mostNumber = 2_147_483_647

/** What the commit of a checkout brings into its branch. Nothing where git says nothing, or speaks of another commit. */
export async function describeMerge(
  folder: string,
  commit: string | undefined,
): Promise<Pick<NewScan, 'parents' | 'mergedPullRequests'>> {
  const { output } = await git(folder, 'log', '-1', '--no-show-signature', '--format=%H%n%P%n%B')
  if (!output || !commit) return {}
  const [hash, parents = '', ...message] = output.split('\n')
  if (hash !== commit.toLowerCase()) return {}
  const merged = mergedBy(message.join('\n'))
  return {
    ...(parents ? { parents: parents.split(' ').slice(0, 100) } : {}),
    ...(merged.length > 0 ? { mergedPullRequests: merged } : {}),
  }
}

export function mergedBy(message: string, env: Environment = process.env): number[] {
  const wanted = countsIssuesApart(env) ? namings : [...namings, squashed]
  const numbers = wanted.flatMap((naming) => Number(naming.exec(message)?.[1] ?? 0))
  return [...new Set(numbers)].filter((number) => number > 0 && number <= mostNumber)
}

/** GitLab, Bitbucket and Azure Repos number issues and pull requests apart, so that `#12` may be an issue. */
function countsIssuesApart(env: Environment): boolean {
  return Boolean(
    env.GITLAB_CI || env.BITBUCKET_BUILD_NUMBER || (env.TF_BUILD && env.BUILD_REPOSITORY_PROVIDER === 'TfsGit'),
  )
}
