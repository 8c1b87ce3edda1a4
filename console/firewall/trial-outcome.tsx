import type { Answer } from '../api/contracts.ts'
import { Table } from '../ui/lists/table.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'
import { trialSentences } from './words.ts'

const mostShown = 50

/** What would have been otherwise, why, and for whom. */
export function TrialOutcome({ trial }: { trial: Answer<'tryFirewallRules'> }) {
  return (
    <>
      <div role="status">
        {trialSentences({ ...trial, unknownAge: 0 }).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {trial.unknown > 0 && (
          <p>Of {plural(trial.unknown, 'version')} nothing can be said: their registries did not answer in time.</p>
        )}
      </div>
      {trial.changes.length > 0 && (
        <Table
          label="Versions treated otherwise"
          rows={trial.changes.slice(0, mostShown)}
          keyOf={(row) => `${row.ecosystem} ${row.name}@${row.version}`}
          columns={[
            {
              label: 'Version',
              cell: (row) => (
                <>
                  <Foreign text={`${row.name}@${row.version}`} mono /> <span className="muted">{row.ecosystem}</span>
                </>
              ),
            },
            { label: 'Then', cell: (row) => <span className="nowrap">{row.refused ? 'refused' : 'let through'}</span> },
            { label: 'Why', cell: (row) => <Foreign text={row.reason} clamp={200} /> },
            { label: 'Who', cell: (row) => <Whose {...row} /> },
          ]}
        />
      )}
      {trial.changes.length > mostShown && (
        <p className="muted">And {plural(trial.changes.length - mostShown, 'version')} more.</p>
      )}
    </>
  )
}

/** How many clients asked, and whose they are as far as one may see that. */
export function Whose({ clients, people }: { clients: number; people: string[] }) {
  return (
    <>
      {plural(clients, 'client')}
      {people.length > 0 && (
        <div className="small muted">
          <Foreign text={people.join(', ')} clamp={120} />
        </div>
      )}
    </>
  )
}
