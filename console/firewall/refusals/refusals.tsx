import type { FormEvent } from 'react'
import type {
  RefusalEvent,
  RefusalFilter,
} from '../../../src/capabilities/firewall-activity/refusals/refusal-contract.ts'
import { usePages } from '../../api/ask.ts'
import { download } from '../../api/download.ts'
import { asProblem } from '../../api/problem.ts'
import { firstOf, formatSearch, type Pair, withValues } from '../../app/address/address.ts'
import { goSearch } from '../../app/address/location.ts'
import { useDeployment, usePathTo } from '../../app/deployment.ts'
import { PersonName } from '../../app/former-people.tsx'
import { ecosystems } from '../../dependencies/question.ts'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/forms/field.tsx'
import { LostPairs } from '../../ui/forms/lost-pairs.tsx'
import { Link } from '../../ui/link.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import {
  lostRefusalPairs,
  outcomeWords,
  type RefusalField,
  refusalFields,
  ruleChoices,
  ruleWords,
} from './refusal-filter.ts'

type Props = { pairs: readonly Pair[]; filter: RefusalFilter; isNarrow: boolean }

/** Each refusal: when, who, which client, what and why. */
export function Refusals({ pairs, filter, isNarrow }: Props) {
  const { id: deploymentId } = useDeployment()
  const pages = usePages('searchFirewallEvents', { body: { filter, pageSize: 50 } }, { where: 'body' })
  const save = () =>
    download('exportFirewallEvents', { params: { deploymentId }, body: { filter } }, 'gatehouse-refusals.ndjson').catch(
      (error: unknown) => sayFailure(asProblem(error).message),
    )
  return (
    <Card title="Each refusal" aside={<Button onClick={() => void save()}>Export</Button>}>
      <Filters
        key={JSON.stringify(filter)}
        pairs={pairs}
        isNarrow={isNarrow}
        example={pages.data?.pages[0]?.events[0]}
      />
      <Part of={pages} lines={6}>
        {(data) => {
          const rows = data.pages.flatMap((page) => page.events)
          if (rows.length === 0) {
            return (
              <Empty title={isNarrow ? 'No refusal matches' : 'No refusal that you see in this period'}>
                <p>
                  Whoever does not see everybody’s clients sees their own. npm, Yarn, pnpm, bun and Cargo choose from a
                  list of versions and do not say which one they want. Where they found a pinned version taken out of
                  it, nothing is on record: <code>gatehouse firewall check</code> says what a client gets.
                </p>
              </Empty>
            )
          }
          return <RefusalTable rows={rows} pairs={pairs} />
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older</Button>}
    </Card>
  )
}

function RefusalTable({ rows, pairs }: { rows: readonly RefusalEvent[]; pairs: readonly Pair[] }) {
  const to = usePathTo()
  const narrowed = (field: RefusalField, value: string | number) =>
    to(`firewall/blocked${formatSearch(withValues(pairs, field, [String(value)]))}`)
  return (
    <Table
      label="Refusals"
      rows={rows}
      keyOf={(row) => row.id}
      columns={[
        { label: 'When', cell: (row) => <Ago at={row.at} /> },
        {
          label: 'Package',
          cell: (row) => (
            <>
              <Link to={narrowed('package', row.name)}>
                <Foreign text={`${row.name}@${row.version}`} mono />
              </Link>{' '}
              <span className="muted">{row.ecosystem}</span>
              {row.count > 1 && <span className="muted"> {row.count} times</span>}
            </>
          ),
        },
        {
          label: 'Why',
          cell: (row) => (
            <>
              <Link to={narrowed('rule', row.rule)}>
                <Tag tone={row.rule === 'malicious' ? 'bad' : 'warn'}>
                  {row.watched ? outcomeWords.watched! : (ruleWords[row.rule] ?? row.rule)}
                </Tag>
              </Link>
              {row.watched && <span className="muted"> came in, because this is only watched</span>}
              <div className="small muted">
                <Foreign text={row.reason} clamp={160} />
              </div>
            </>
          ),
        },
        {
          label: 'Who',
          cell: (row) =>
            row.personId === 0 ? (
              <span className="muted">forgotten</span>
            ) : (
              <>
                <Link to={narrowed('person', row.personId)}>
                  <PersonName name={row.personName} who={row.personId} otherwise={`person ${row.personId}`} />
                </Link>
                <div className="small muted who">
                  <Foreign text={row.tokenName || `token ${row.tokenId}`} />
                </div>
              </>
            ),
        },
        {
          label: 'Client',
          cell: (row) => (
            <>
              <Foreign text={row.client} clamp={60} />
              <div className="small muted mono nowrap">
                <Foreign text={row.address} />
              </div>
            </>
          ),
        },
      ]}
    />
  )
}

/** Those of the form; what a link brought besides them stays. */
const typed = ['package', 'ecosystem', 'rule', 'outcome'] as const

type FilterProps = {
  pairs: readonly Pair[]
  isNarrow: boolean
  /** One that the filter matches: it knows what the person and the token are called. */
  example: RefusalEvent | undefined
}

function Filters({ pairs, isNarrow, example }: FilterProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = typed.map((name): Pair => [name, String(form.get(name) ?? '').trim()])
    goSearch(given.reduce((all, [name, value]) => withValues(all, name, value ? [value] : []), [...pairs]))
  }
  const clear = () => goSearch(pairs.filter(([name]) => !(refusalFields as readonly string[]).includes(name)))
  const also = refusalFields.filter((field) => !(typed as readonly string[]).includes(field) && firstOf(pairs, field))
  return (
    <form className="filter-form" onSubmit={submit} aria-label="Filters">
      <Input label="Package" name="package" placeholder="@scope/*" defaultValue={firstOf(pairs, 'package') ?? ''} />
      <Select
        label="Ecosystem"
        name="ecosystem"
        defaultValue={firstOf(pairs, 'ecosystem') ?? ''}
        choices={[{ value: '', label: 'All' }, ...ecosystems]}
      />
      <Select
        label="Why"
        name="rule"
        defaultValue={firstOf(pairs, 'rule') ?? ''}
        choices={[
          { value: '', label: 'Whatever the reason' },
          ...Object.entries(ruleChoices).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Select
        label="Outcome"
        name="outcome"
        defaultValue={firstOf(pairs, 'outcome') ?? ''}
        choices={[
          { value: '', label: 'Refused or watched' },
          ...Object.entries(outcomeWords).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Button type="submit">Apply</Button>
      {isNarrow && <Button onClick={clear}>Clear</Button>}
      <LostPairs lost={lostRefusalPairs(pairs)} />
      {also.length > 0 && (
        <span className="muted small">
          Also by{' '}
          {also.map((field) => (
            <Foreign key={field} text={`${field} ${calledOf(field, example) || firstOf(pairs, field)} `} />
          ))}
        </span>
      )}
    </form>
  )
}

function calledOf(field: RefusalField, example: RefusalEvent | undefined): string | undefined {
  if (field === 'person') return example?.personName
  return field === 'token' ? example?.tokenName : undefined
}
