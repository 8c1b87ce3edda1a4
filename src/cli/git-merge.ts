import type { NewScan } from '../capabilities/scans/contract.ts'
import { git } from './scan/subject/git-checkout.ts'

/** How the services name a pull request in the message of the commit that merges it. */
const namings = [
  /^Merge pull request #(\d+) from /,
  /^Merged PR (\d+): /,
  /^Merged in .* \(pull request #(\d+)\)$/m,
  /^See merge request \S*!(\d+)$/m,
  /^[^\n]* \(#(\d+)\)(?:\n|$)/,
]
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

export function mergedBy(message: string): number[] {
  const numbers = namings.flatMap((naming) => Number(naming.exec(message)?.[1] ?? 0))
  return [...new Set(numbers)].filter((number) => number > 0 && number <= mostNumber)
}
