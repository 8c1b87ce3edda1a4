import { useDeferredValue } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { Table } from '../ui/lists/table.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'
import { Whose } from './trial-outcome.tsx'
import { trialSentences } from './words.ts'

const mostShown = 20

/** What the settings as they are on screen would make of what clients asked for in the last 30 days. */
export function SettingsTrial({ draft }: { draft: Body<'putFirewallSettings'> }) {
  const settings = useDeferredValue(draft)
  const asked = useAsk('tryFirewallSettings', { body: { settings } })
  return (
    <section aria-label="What this would change">
      <h3>What this would change</h3>
      <Part of={asked} lines={2}>
        {(trial) => (
          <>
            <div role="status">
              {trialSentences(trial).map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </div>
            {trial.changes.length > 0 && (
              <Table
                label="Versions treated otherwise"
                rows={trial.changes.slice(0, mostShown)}
                keyOf={(row) => `${row.name}@${row.version}`}
                columns={[
                  { label: 'Version', cell: (row) => <Foreign text={`${row.name}@${row.version}`} mono /> },
                  { label: 'Then', cell: (row) => (row.refused ? 'refused' : 'let through') },
                  { label: 'Why', cell: (row) => <Foreign text={row.reason} clamp={160} /> },
                  { label: 'Who', cell: (row) => <Whose {...row} /> },
                ]}
              />
            )}
            {trial.changes.length > mostShown && (
              <p className="muted">And {plural(trial.changes.length - mostShown, 'version')} more.</p>
            )}
          </>
        )}
      </Part>
    </section>
  )
}
