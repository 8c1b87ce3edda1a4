import { useEffect } from 'react'
import type { Automation } from '../../src/capabilities/automations/automation.ts'
import type { DryRunScan } from '../../src/capabilities/automations/contract.ts'
import { useAsk, useChange } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { firstOf, withValues } from '../app/address/address.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, ErrorBox, Part, Waiting } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { Subjects } from './subjects.tsx'
import { actions, bodyOf, type Draft } from './words.ts'

const amounts = [20, 50, 100]

/** What it would have done to the last scans. Nothing is done by this. */
export function Trial({ automation }: { automation: Automation }) {
  const { pairs } = usePlace()
  const write = useMay('automations:write')
  const asked = Number(firstOf(pairs, 'scans'))
  const scans = amounts.includes(asked) ? asked : 20
  const run = useChange('dryRunAutomation')
  const turnOn = useChange('updateAutomation', ['listAutomations', 'getAutomation'])
  const params = { automationId: Number(automation.id) }
  const { mutate } = run
  // biome-ignore lint/correctness/useExhaustiveDependencies: another automation, another version of it or another amount is tried
  useEffect(() => {
    if (write.may) mutate({ params, body: { scans } })
  }, [automation.id, automation.updatedAt, scans, write.may])
  if (!write.may)
    return (
      <Empty title="Not visible to you">
        <p>{write.why}</p>
      </Empty>
    )
  return (
    <Card
      title="What it would have done"
      aside={
        <fieldset className="segments">
          <legend className="visually-hidden">How many scans</legend>
          {amounts.map((amount) => (
            <button
              key={amount}
              type="button"
              aria-pressed={amount === scans}
              onClick={() => goSearch(withValues(pairs, 'scans', amount === 20 ? [] : [String(amount)]))}
            >
              {amount} scans
            </button>
          ))}
        </fieldset>
      }
    >
      {run.isPending && <Waiting />}
      {run.error && <ErrorBox problem={run.error} retry={() => mutate({ params, body: { scans } })} />}
      {run.data && <Outcome trial={run.data} />}
      {!automation.active && (
        <div className="row">
          <Button
            look="primary"
            onClick={() =>
              turnOn.mutate(
                { params, body: { active: true } },
                {
                  onSuccess: () =>
                    say(`${automation.name} is switched on.`, () =>
                      turnOn
                        .mutateAsync({ params, body: { active: false } })
                        .then(() => say(`Undone: ${automation.name} is switched off.`)),
                    ),
                  onError: (problem) => sayFailure(`Not done: ${problem.message}`),
                },
              )
            }
          >
            Switch it on
          </Button>
        </div>
      )}
    </Card>
  )
}

/** What the draft would have done, while it is put together: nothing of it is saved. */
export function DraftTrial({ draft }: { draft: Draft }) {
  const { filters, actions: wanted } = bodyOf(draft)
  const actionTypes = wanted.map(({ type }) => type)
  const says = actionTypes.length > 0
  const asked = useAsk('tryAutomation', { body: { filters, actionTypes } }, { enabled: says })
  return (
    <Card title="What it would have done">
      {says ? (
        <Part of={asked} lines={2}>
          {(trial) => <Outcome trial={trial} />}
        </Part>
      ) : (
        <p className="muted">Say what it does, and past scans show what it would have done.</p>
      )}
    </Card>
  )
}

function Outcome({ trial }: { trial: Answer<'tryAutomation'> }) {
  if (trial.looked === 0) return <p role="status">There is no scan yet that it could be tried on.</p>
  const blocked = trial.scans.filter((scan) => scan.blocked).length
  return (
    <>
      <p role="status">
        On the last {plural(trial.looked, 'scan')} it would have done something {plural(trial.scans.length, 'time')}
        {blocked > 0 && ` and blocked ${plural(blocked, 'scan')}`}. Nothing is done by this.
      </p>
      {trial.scans.length > 0 && <TrialTable scans={trial.scans} />}
    </>
  )
}

function TrialTable({ scans }: { scans: readonly DryRunScan[] }) {
  const to = usePathTo()
  return (
    <Table
      label="Scans it would have acted on"
      rows={scans}
      keyOf={(scan) => scan.scanId}
      columns={[
        { label: 'Scan', cell: (scan) => <Link to={to(`scans/${scan.scanId}`)}>#{scan.scanId}</Link> },
        { label: 'Repository', cell: (scan) => <Foreign text={scan.repositoryName} /> },
        { label: 'Branch', cell: (scan) => <span className="mono">{scan.ref}</span> },
        { label: 'When', cell: (scan) => <Ago at={scan.createdAt} /> },
        {
          label: 'Would have',
          cell: (scan) => (
            <div className="stack tight">
              {scan.blocked && (
                <span>
                  <Tag tone="bad">blocked</Tag>
                </span>
              )}
              {scan.actions.map((action) => (
                <span key={action.actionId}>
                  {actions[action.type]}: <Subjects count={action.subjectCount} subjects={action.subjects} />
                </span>
              ))}
            </div>
          ),
        },
      ]}
    />
  )
}
