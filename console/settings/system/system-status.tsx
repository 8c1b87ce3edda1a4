import type { SystemStatus } from '../../../src/capabilities/system/contract.ts'
import { useAsk } from '../../api/ask.ts'
import { Table } from '../../ui/lists/table.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { lasting } from '../../ui/text/time.ts'
import { plural } from '../../ui/text/words.ts'

const tones = { ok: 'ok', warning: 'warn', problem: 'bad' } as const

/** The whole machine, for its operators. */
export function SystemStatusCards() {
  const asked = useAsk('getSystemStatus', {}, { refetchInterval: 30_000 })
  return (
    <Part of={asked} lines={6}>
      {(status) => (
        <>
          <Card
            title="Checks"
            aside={<Tag tone={status.healthy ? 'ok' : 'bad'}>{status.healthy ? 'healthy' : 'has a problem'}</Tag>}
          >
            <Checks checks={status.checks} />
          </Card>
          <div className="cards">
            <DatabaseCard {...status} />
            <QueueCard queue={status.queue} />
          </div>
        </>
      )}
    </Part>
  )
}

function Checks({ checks }: Pick<SystemStatus, 'checks'>) {
  return (
    <>
      <Table
        label="Checks of the system"
        rows={checks.map((check, index) => ({ ...check, index }))}
        keyOf={(check) => check.index}
        columns={[
          { label: 'Part', cell: (check) => check.part },
          { label: 'State', cell: (check) => <Tag tone={tones[check.state]}>{check.state}</Tag> },
          {
            label: 'What was seen',
            cell: (check) => (
              <>
                <Foreign text={check.detail} clamp={300} />
                {check.advice && (
                  <div className="muted small">
                    <Foreign text={check.advice} clamp={300} />
                  </div>
                )}
              </>
            ),
          },
        ]}
      />
      <p className="muted small">
        Recounts and the chains of audit logs take longer: <code>npx gatehouse doctor</code> checks them.
      </p>
    </>
  )
}

function DatabaseCard({ database, keys, startedAt }: SystemStatus) {
  return (
    <Card title="Database and keys">
      <dl className="facts">
        <dt>PostgreSQL</dt>
        <dd>{database.version}</dd>
        <dt>Size</dt>
        <dd>
          {database.bytes === null ? 'unknown' : `${Math.ceil(database.bytes / 1_000_000).toLocaleString('en')} MB`}
        </dd>
        <dt>Connections</dt>
        <dd>
          {database.connections}, {plural(database.waiting, 'statement')} under way or waiting
        </dd>
        <dt>Clock</dt>
        <dd>{Math.abs(database.clockDifferenceMs)} ms apart from this process</dd>
        <dt>Process started</dt>
        <dd>
          <Ago at={startedAt} />
        </dd>
        {keys.map((key) => (
          <div key={key.scope} className="fact-pair">
            <dt>Keys of {/^\d+$/.test(key.scope) ? `deployment ${key.scope}` : key.scope}</dt>
            <dd>
              {plural(key.versions, 'version')}, newest <Ago at={key.newestAt} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function QueueCard({ queue }: Pick<SystemStatus, 'queue'>) {
  return (
    <Card title="Queue" aside="of all deployments">
      {queue.length === 0 ? (
        <p className="muted">Nothing waits.</p>
      ) : (
        <Table
          label="Jobs by kind"
          rows={queue}
          keyOf={(row) => row.kind}
          columns={[
            { label: 'Kind', cell: (row) => <code>{row.kind}</code> },
            { label: 'Waiting', end: true, cell: (row) => row.waiting.toLocaleString('en') },
            { label: 'Oldest', end: true, cell: (row) => (row.waiting > 0 ? lasting(row.oldestSeconds) : '') },
            { label: 'Given up', end: true, cell: (row) => row.dead.toLocaleString('en') },
          ]}
        />
      )}
    </Card>
  )
}
