import type { UseQueryResult } from '@tanstack/react-query'
import type { Problem } from '../api/problem.ts'
import { Table, type TableColumn } from '../ui/lists/table.tsx'
import { Part } from '../ui/states.tsx'
import { plural } from '../ui/text/words.ts'

const mostShown = 20

type Props<Trial, Change> = {
  asked: UseQueryResult<Trial, Problem>
  sentencesOf: (trial: Trial) => readonly string[]
  /** What the table lists, as a heading and as one of them. */
  label: string
  one: string
  keyOf: (change: Change) => string
  columns: readonly TableColumn<Change>[]
}

/** What a change that is not saved yet would have done: in words, and the first cases of it. */
export function TrialShell<Change, Trial extends { changes: Change[] }>(props: Props<Trial, Change>) {
  const { asked, sentencesOf, label, one, keyOf, columns } = props
  return (
    <section aria-label="What this would change">
      <h3>What this would change</h3>
      <Part of={asked} lines={2}>
        {(trial) => (
          <>
            <div role="status">
              {sentencesOf(trial).map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </div>
            {trial.changes.length > 0 && (
              <Table label={label} rows={trial.changes.slice(0, mostShown)} keyOf={keyOf} columns={columns} />
            )}
            {trial.changes.length > mostShown && (
              <p className="muted">And {plural(trial.changes.length - mostShown, one)} more.</p>
            )}
          </>
        )}
      </Part>
    </section>
  )
}
