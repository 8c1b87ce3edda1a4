import type { AutomationRun } from '../../src/capabilities/automations/contract.ts'
import { useChange, usePages } from '../api/ask.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { Subjects } from './subjects.tsx'
import { actions } from './words.ts'

const states = {
  RUN_STATUS_PENDING: ['waits', undefined],
  RUN_STATUS_DONE: ['done', 'ok'],
  RUN_STATUS_DEAD: ['given up', 'bad'],
} as const

/** What it did, each action on its own, and another try for what was given up. */
export function Runs({ automationId }: { automationId: number }) {
  const to = usePathTo()
  const write = useMay('automations:write')
  const jobs = useMay('jobs:write')
  const pages = usePages(
    'listAutomationRuns',
    { params: { automationId }, query: { pageSize: 50 } },
    { enabled: write.may },
  )
  const replay = useChange('replayDeadLetter', ['listAutomationRuns', 'listDeadLetters'])
  if (!write.may)
    return (
      <Empty title="Not visible to you">
        <p>{write.why}</p>
      </Empty>
    )
  const rows = pages.data?.pages.flatMap((page) => page.runs) ?? []
  const again = (run: AutomationRun) =>
    replay.mutate(
      { params: { deadLetterId: Number(run.deadLetterId) } },
      {
        onSuccess: () => say('It is tried again.', 'no undo'),
        onError: (problem) => sayFailure(`Not done: ${problem.message}`),
      },
    )
  return (
    <Card
      title="Runs"
      aside={
        <Button look="plain" onClick={() => void pages.refetch()}>
          Look again
        </Button>
      }
    >
      <Part of={pages}>
        {() =>
          rows.length === 0 ? (
            <Empty title="It has done nothing yet">
              <p>What it does is listed here for 90 days.</p>
            </Empty>
          ) : (
            <Table
              label="Runs"
              rows={rows}
              keyOf={(run) => run.id}
              columns={[
                { label: 'When', cell: (run) => <Ago at={run.createdAt} /> },
                {
                  label: 'State',
                  cell: (run) => <Tag tone={states[run.status][1]}>{states[run.status][0]}</Tag>,
                },
                {
                  label: 'What',
                  cell: (run) => (
                    <>
                      {actions[run.actionType]}
                      <div className="small muted">
                        <Subjects count={run.subjectCount} subjects={run.subjects} />
                      </div>
                    </>
                  ),
                },
                {
                  label: 'Where',
                  cell: (run) => (
                    <>
                      {run.repositoryName ? (
                        <Foreign text={run.repositoryName} />
                      ) : (
                        <span className="muted">no repository</span>
                      )}{' '}
                      <span className="mono small">{run.ref}</span>
                      {run.scanId !== '' && run.scanId !== '0' && (
                        <div className="small">
                          <Link to={to(`scans/${run.scanId}`)}>scan #{run.scanId}</Link>
                        </div>
                      )}
                    </>
                  ),
                },
                {
                  label: 'Tries and error',
                  cell: (run) => (
                    <>
                      {run.attempts} {run.error && <Foreign text={run.error} clamp={200} />}
                    </>
                  ),
                },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (run) =>
                    run.deadLetterId && (
                      <Button why={jobs.why} onClick={() => again(run)}>
                        Try again
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older runs</Button>}
    </Card>
  )
}
