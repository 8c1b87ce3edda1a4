import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { Button } from '../ui/button.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'
import { trialSentences } from './words.ts'

type Rules = Body<'tryFirewallRules'>['rules']

const mostShown = 50

/** What the rules on screen would have made of what clients asked for. Asked on demand: registries may have to answer too. */
export function RuleTrial({ rules }: { rules: Rules }) {
  const [tried, setTried] = useState<Rules>()
  return (
    <Card
      title="What these rules would have done"
      aside={<Button onClick={() => setTried(rules)}>Try them on the last 30 days</Button>}
    >
      {tried ? (
        <Outcome rules={tried} isOld={JSON.stringify(tried) !== JSON.stringify(rules)} />
      ) : (
        <p className="muted">Nothing is saved by trying. Rules that only watch are tried as if they refused.</p>
      )}
    </Card>
  )
}

function Outcome({ rules, isOld }: { rules: Rules; isOld: boolean }) {
  const asked = useAsk('tryFirewallRules', { body: { rules } }, { keep: false })
  return (
    <Part of={asked} lines={4}>
      {(trial) => (
        <>
          <div role="status">
            {isOld && <p>The rules were changed since: try them again.</p>}
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
                      <Foreign text={`${row.name}@${row.version}`} mono />{' '}
                      <span className="muted">{row.ecosystem}</span>
                    </>
                  ),
                },
                { label: 'Then', cell: (row) => (row.refused ? 'refused' : 'let through') },
                { label: 'Why', cell: (row) => <Foreign text={row.reason} clamp={200} /> },
                {
                  label: 'Who',
                  cell: (row) => (
                    <>
                      {plural(row.clients, 'client')}
                      {row.people.length > 0 && (
                        <div className="small muted">
                          <Foreign text={row.people.join(', ')} clamp={120} />
                        </div>
                      )}
                    </>
                  ),
                },
              ]}
            />
          )}
          {trial.changes.length > mostShown && (
            <p className="muted">And {plural(trial.changes.length - mostShown, 'version')} more.</p>
          )}
        </>
      )}
    </Part>
  )
}
