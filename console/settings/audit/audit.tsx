import { type FormEvent, useState } from 'react'
import type { AuditEvent } from '../../../src/capabilities/audit/contract.ts'
import { useAsk, useChange, usePages, useReadOn } from '../../api/ask.ts'
import { download } from '../../api/download.ts'
import { asProblem } from '../../api/problem.ts'
import type { Pair } from '../../app/address/address.ts'
import { goSearch, usePlace } from '../../app/address/location.ts'
import { useDeployment } from '../../app/deployment.ts'
import { PersonName } from '../../app/former-people.tsx'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/forms/field.tsx'
import { LostPairs } from '../../ui/forms/lost-pairs.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, ErrorBox, Part } from '../../ui/states.tsx'
import { CopyLine } from '../../ui/text/copy-line.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import {
  type AuditWords,
  auditFilter,
  auditNames,
  lostAuditPairs,
  personChoices,
  readAuditWords,
  targetName,
} from './audit-words.ts'
import { Push } from './push.tsx'

/** This many are looked for by themselves; further back on request. */
const wanted = 100
const mostPages = 20

export default function AuditPage() {
  const { pairs } = usePlace()
  const { id: deploymentId } = useDeployment()
  const words = readAuditWords(pairs)
  const filter = auditFilter(words)
  const events = usePages('listAuditEvents', { query: { pageSize: 100, ...filter } })
  const people = useAsk('listPeople')
  const former = useAsk('listFormerPeople')
  const [further, setFurther] = useState(mostPages)
  const pages = events.data?.pages ?? []
  const rows = pages.flatMap((page) => page.events)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = events
  // A page of a filtered log may be empty and go on all the same.
  const goOn = hasNextPage && rows.length < wanted && pages.length < further
  useReadOn(events, goOn)
  return (
    <SettingsPage
      title="Audit log"
      about="Everything that was changed, by whom. Events form a chain: none can be changed or taken out unseen."
      actions={
        <Button
          onClick={() =>
            void download(
              'exportAuditEvents',
              { params: { deploymentId }, body: { filter } },
              'gatehouse-audit.jsonl',
            ).catch((error) => sayFailure(`Not exported: ${asProblem(error).message}`))
          }
        >
          Export all that match
        </Button>
      }
    >
      <LostPairs lost={lostAuditPairs(pairs)} />
      <Filters
        key={JSON.stringify(words)}
        words={words}
        people={[
          ...(people.data?.people ?? []),
          ...(former.data?.people ?? []).map(({ id, name, isBack }) => ({
            id,
            name: `${name} ${isBack ? '(former account)' : '(left)'}`,
          })),
        ]}
      />
      <Card
        title="Events"
        aside={rows.length > 0 && `${plural(rows.length, 'event')}${hasNextPage ? ', and older ones' : ''}`}
      >
        <Part of={events} lines={6}>
          {() => (
            <>
              {rows.length === 0 ? (
                <Empty title={isFetchingNextPage ? 'Looking further back' : 'No event matches'}>
                  <Button onClick={() => goSearch([])}>Clear the filters</Button>
                </Empty>
              ) : (
                <EventTable rows={rows} />
              )}
              {hasNextPage && !goOn && (
                <Button
                  why={isFetchingNextPage ? 'Loading' : undefined}
                  onClick={() => {
                    setFurther(pages.length + mostPages)
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
      <Push />
      <Verify />
      <Head />
    </SettingsPage>
  )
}

/** Whether the chain is whole, asked when somebody wants to know: the whole log is read for it. */
function Verify() {
  const verify = useChange('verifyAuditLog')
  const { data, error, isPending } = verify
  return (
    <Card title="Is the chain whole?">
      <div className="row">
        <Button why={isPending ? 'Being checked' : undefined} onClick={() => verify.mutate({ body: {} })}>
          Verify the chain
        </Button>
        <span role="status">
          {isPending && 'Every event is checked; a million take some ten seconds.'}
          {data?.whole && `All ${data.events.toLocaleString('en')} events are as they were written.`}
          {data?.brokenAt && (
            <span className="banner bad">
              The chain breaks at event {data.brokenAt.seq}: {data.brokenAt.reason}. Compare the log with a backup.
            </span>
          )}
        </span>
      </div>
      {error && <ErrorBox problem={error} retry={() => verify.mutate({ body: {} })} />}
    </Card>
  )
}

function EventTable({ rows }: { rows: readonly AuditEvent[] }) {
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
              <PersonName
                name={event.personName}
                who={event.personId}
                otherwise={event.personId === 0 ? 'the system' : `person ${event.personId}`}
              />
              {event.tokenId > 0 && (
                <div className="muted small">
                  token <Foreign text={event.tokenName || String(event.tokenId)} />
                </div>
              )}
            </>
          ),
        },
        { label: 'Action', cell: (event) => <code>{event.action}</code> },
        {
          label: 'Target',
          cell: (event) => (
            <>
              <Foreign text={event.target} mono />
              {targetName(event.detail) && (
                <div className="muted small">
                  <Foreign text={targetName(event.detail)} clamp={80} />
                </div>
              )}
            </>
          ),
        },
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

function Filters({ words, people }: { words: AuditWords; people: readonly { id: number; name: string }[] }) {
  // Not left to the select: people come later than it does.
  const [person, setPerson] = useState(words.person)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = auditNames.map((name): Pair => [name, String(form.get(name) ?? '').trim()])
    goSearch(given.filter(([, value]) => value !== ''))
  }
  return (
    <form className="filter-form" onSubmit={submit} aria-label="Filters">
      <Input label="Action" name="action" placeholder="team.update" defaultValue={words.action} />
      <Select
        label="Person"
        name="person"
        value={person}
        onChange={(event) => setPerson(event.target.value)}
        choices={personChoices(people, words.person)}
      />
      <Input label="Target" name="target" placeholder="team:7" defaultValue={words.target} />
      <Input label="From (UTC)" name="since" type="date" defaultValue={words.since} />
      <Input label="Before (UTC)" name="until" type="date" defaultValue={words.until} />
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
