import { type FormEvent, useState } from 'react'
import type { AuditEvent } from '../../src/capabilities/audit/contract.ts'
import { useAsk, usePages, useReadOn } from '../api/ask.ts'
import { saveFile } from '../api/download.ts'
import { firstOf, type Pair } from '../app/address.ts'
import { goSearch, usePlace } from '../app/location.ts'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { Input, Select } from '../ui/field.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Ago, Exact } from '../ui/marks.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { plural } from '../ui/words.ts'
import { type AuditFilter, auditCsv, matchesAudit } from './audit-words.ts'
import { SettingsPage } from './frame.tsx'

const names = ['action', 'person', 'target', 'since', 'until'] as const
/** So many are looked at by themselves; further back on request. */
const lookedAtOnce = 10_000
const wanted = 100

export default function AuditPage() {
  const { pairs } = usePlace()
  const filter = Object.fromEntries(names.map((name) => [name, firstOf(pairs, name) ?? ''])) as AuditFilter
  const isFiltered = names.some((name) => filter[name])
  const events = usePages('listAuditEvents', { query: { pageSize: isFiltered ? 1000 : 100 } })
  const people = useAsk('listPeople')
  const [further, setFurther] = useState(lookedAtOnce)
  const all = events.data?.pages.flatMap((page) => page.events) ?? []
  const rows = isFiltered ? all.filter((event) => matchesAudit(event, filter)) : all
  const oldest = all.at(-1)
  const past = oldest !== undefined && filter.since !== '' && oldest.at < filter.since
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = events
  const goOn = isFiltered && hasNextPage && !past && rows.length < wanted && all.length < further
  useReadOn(events, goOn)
  const nameOf = (personId: number) =>
    personId === 0
      ? 'the system'
      : (people.data?.people.find((each) => each.id === personId)?.name ?? `person ${personId}`)
  return (
    <SettingsPage
      title="Audit log"
      about="Everything that was changed, by whom. Events form a chain: none can be changed or taken out unseen."
      actions={
        <Button
          why={rows.length === 0 ? 'There is nothing to export.' : undefined}
          onClick={() => saveFile(new Blob([auditCsv(rows, nameOf)], { type: 'text/csv' }), 'gatehouse-audit.csv')}
        >
          Export what is shown
        </Button>
      }
    >
      <Filters key={JSON.stringify(filter)} filter={filter} people={people.data?.people ?? []} />
      <Card
        title="Events"
        aside={
          oldest && (
            <>
              {plural(rows.length, 'event')} of {all.length.toLocaleString('en')} looked at, back to{' '}
              <Exact at={oldest.at} />
            </>
          )
        }
      >
        <Part of={events} lines={6}>
          {() => (
            <>
              {rows.length === 0 ? (
                <Empty title={isFetchingNextPage ? 'Looking further back' : 'No event matches'}>
                  <Button onClick={() => goSearch([])}>Clear the filters</Button>
                </Empty>
              ) : (
                <EventTable rows={rows} nameOf={nameOf} />
              )}
              {hasNextPage && !goOn && !past && (
                <Button
                  why={isFetchingNextPage ? 'Loading' : undefined}
                  onClick={() => {
                    setFurther(all.length + lookedAtOnce)
                    void fetchNextPage()
                  }}
                >
                  Older events
                </Button>
              )}
            </>
          )}
        </Part>
      </Card>
      <Head />
    </SettingsPage>
  )
}

function EventTable({ rows, nameOf }: { rows: readonly AuditEvent[]; nameOf: (personId: number) => string }) {
  return (
    <Table
      label="Audit events"
      rows={rows}
      keyOf={(event) => event.seq}
      columns={[
        { label: 'When', cell: (event) => <Ago at={event.at} /> },
        {
          label: 'Who',
          cell: (event) => (
            <>
              <Foreign text={nameOf(event.personId)} />
              {event.tokenId > 0 && <div className="muted small">token {event.tokenId}</div>}
            </>
          ),
        },
        { label: 'Action', cell: (event) => <code>{event.action}</code> },
        { label: 'Target', cell: (event) => <Foreign text={event.target} mono /> },
        {
          label: 'Detail',
          cell: (event) => (
            <details>
              <summary>#{event.seq}</summary>
              <pre className="small wrap">
                <Foreign text={JSON.stringify(event.detail, null, 1)} clamp={2_000} />
              </pre>
              <span className="muted small mono">
                {event.at} · request {event.requestId} · {event.hash.slice(0, 16)}…
              </span>
            </details>
          ),
        },
      ]}
    />
  )
}

function Filters({ filter, people }: { filter: AuditFilter; people: readonly { id: number; name: string }[] }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = names.map((name): Pair => [name, String(form.get(name) ?? '').trim()])
    goSearch(given.filter(([, value]) => value !== ''))
  }
  return (
    <form className="filter-form" onSubmit={submit} aria-label="Filters">
      <Input label="Action" name="action" placeholder="team.update" defaultValue={filter.action} />
      <Select
        label="Person"
        name="person"
        defaultValue={filter.person}
        choices={[
          { value: '', label: 'Everybody' },
          { value: '0', label: 'The system' },
          ...people.map((each) => ({ value: String(each.id), label: each.name })),
        ]}
      />
      <Input label="Target" name="target" placeholder="team:7" defaultValue={filter.target} />
      <Input label="From" name="since" type="date" defaultValue={filter.since} />
      <Input label="Before" name="until" type="date" defaultValue={filter.until} />
      <Button type="submit">Apply</Button>
    </form>
  )
}

function Head() {
  const head = useAsk('getAuditHead')
  return (
    <Card title="Prove it later">
      <p className="muted">
        Keep the head outside of Gatehouse. Later it shows that nothing up to it was changed or removed.
      </p>
      <Part of={head}>
        {({ head: data }) => (
          <>
            <CopyLine text={JSON.stringify({ heads: [data] })} label="the head of the chain" />
            <p className="muted">On the machine of the server, with the heads you kept in a file:</p>
            <CopyLine text="npx gatehouse audit verify --heads heads.json" label="the command that verifies" />
          </>
        )}
      </Part>
    </Card>
  )
}
