import { useAsk } from '../api/ask.ts'
import type { Answer, Body } from '../api/contracts.ts'
import { Table } from '../ui/lists/table.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'
import { claimTrialSentences } from './claim-words.ts'
import { Whose } from './trial-outcome.tsx'

const mostShown = 20

type Change = Answer<'tryPackageClaims'>['changes'][number]

/** For which of the names that clients asked for somebody else would be asked. Nothing is saved by trying. */
export function ClaimTrial({ body }: { body: Body<'tryPackageClaims'> }) {
  const asked = useAsk('tryPackageClaims', { body }, { keep: false })
  return (
    <section aria-label="What this would change">
      <h3>What this would change</h3>
      <Part of={asked} lines={2}>
        {(trial) => (
          <>
            <div role="status">
              {claimTrialSentences(trial).map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </div>
            {trial.changes.length > 0 && (
              <Table
                label="Names asked of somebody else"
                rows={trial.changes.slice(0, mostShown)}
                keyOf={(row) => `${row.ecosystem} ${row.name}`}
                columns={[
                  { label: 'Name', cell: (row) => <Foreign text={row.name} mono /> },
                  { label: 'Then', cell: (row) => <Then {...row} /> },
                  { label: 'Who asked', cell: (row) => <Whose {...row} /> },
                ]}
              />
            )}
            {trial.changes.length > mostShown && (
              <p className="muted">And {plural(trial.changes.length - mostShown, 'name')} more.</p>
            )}
          </>
        )}
      </Part>
    </section>
  )
}

function Then({ askedOf, seenThere }: Change) {
  if (askedOf === 'nobody') return 'refused'
  if (askedOf === 'unclaimed') return 'asked of anybody'
  return seenThere ? 'asked of your registry alone' : 'asked of your registry alone, which was not seen to have it'
}
