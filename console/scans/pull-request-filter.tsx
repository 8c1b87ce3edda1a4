import type { Query } from '../api/contracts.ts'
import { firstOf, type Pair, withValues } from '../app/address/address.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { notUnderstood } from '../app/address/understood.ts'
import { Check } from '../ui/forms/field.tsx'
import { LostPairs } from '../ui/forms/lost-pairs.tsx'

/** Those that wait for somebody, which is what numbers of blocked pull requests count. */
export const stillBlocked: Pair[] = [
  ['blocked', 'yes'],
  ['over', 'no'],
]

/** What a list of pull requests is narrowed to by its address, and how that is changed. */
export function usePullRequestFilter() {
  const { pairs } = usePlace()
  const lost = notUnderstood(pairs, { blocked: ['yes'], over: ['no'] })
  const blocked = firstOf(pairs, 'blocked') === 'yes'
  const standing = firstOf(pairs, 'over') === 'no'
  const query: Query<'listPullRequests'> = {
    pageSize: 100,
    ...(blocked && { blocked: 'true' }),
    ...(standing && { over: 'false' }),
  }
  const choose = (name: string, word: string) => (event: { target: { checked: boolean } }) =>
    goSearch(withValues(pairs, name, event.target.checked ? [word] : []))
  const checks = (
    <>
      <LostPairs lost={lost} />
      <Check label="Only blocked" checked={blocked} onChange={choose('blocked', 'yes')} />
      <Check label="Not over yet" checked={standing} onChange={choose('over', 'no')} />
    </>
  )
  return { query, isNarrow: blocked || standing, checks }
}
