import type { ScannedPullRequest } from '../../src/capabilities/scans/pull-requests/pull-request-contract.ts'
import { notComparedSentence, whyOver } from '../repositories/verdict.ts'
import { plainly } from '../ui/text/foreign-text.ts'
import { Tag } from '../ui/text/marks.tsx'

/** What the last scan of a pull request says of it, in a list. */
export function VerdictMark({ of }: { of: ScannedPullRequest }) {
  if (of.over)
    return (
      <span title={whyOver}>
        <Tag>Over</Tag>
      </span>
    )
  if (of.blocked) return <Tag tone="bad">Blocked</Tag>
  const notCompared = notComparedSentence(of)
  if (notCompared === undefined) return <span className="muted">Not blocked</span>
  return (
    <span title={plainly(`${notCompared} Scan ${of.baseRef} first, then scan this again.`)}>
      <Tag tone="warn">Not compared</Tag>
    </span>
  )
}
