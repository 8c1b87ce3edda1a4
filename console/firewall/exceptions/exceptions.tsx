import { useState } from 'react'
import type { FirewallException } from '../../../src/capabilities/firewall/exceptions/exception-contract.ts'
import { usePages } from '../../api/ask.ts'
import { formatSearch } from '../../app/address/address.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { PersonName } from '../../app/former-people.tsx'
import { Button } from '../../ui/button.tsx'
import { Link } from '../../ui/link.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { ListFilter, useListFilter } from '../list-filter.tsx'
import { ruleWords } from '../refusals/refusal-filter.ts'
import { DecideException, EndException } from './exception-dialogs.tsx'
import { ExceptionSettings } from './exception-settings.tsx'
import { asSentence, exceptionTone, exceptionWords, grantSentence } from './exception-words.ts'

const states = {
  open: 'Asked for',
  approved: 'In force',
  rejected: 'Rejected',
  ended: 'Ended early',
  expired: 'Run out',
}
/** What the server refuses to approve, and why. */
const neverFor: Record<string, string> = { malicious: 'Known malware is never let in.' }

type Doing = { exception: FirewallException; what: 'approve' | 'reject' | 'end' }

/** What people asked for, and what was decided about it: the queue of those who decide, and one's own of everybody else. */
export function Exceptions() {
  const { why } = useMay('firewall:write')
  const filter = useListFilter(['open', 'approved', 'rejected', 'ended', 'expired'])
  const pages = usePages('listExceptions', { query: { pageSize: 50, ...filter.query } })
  const [doing, setDoing] = useState<Doing>()
  return (
    <>
      <ListFilter {...filter} states={states} />
      <Part of={pages}>
        {(data) => {
          // What waits for a decision comes first.
          const rows = data.pages
            .flatMap((page) => page.exceptions)
            .toSorted((a, b) => Number(b.state === 'open') - Number(a.state === 'open'))
          if (rows.length === 0) {
            return (
              <Empty title={filter.isNarrow ? 'No exception matches' : 'Nobody has asked for an exception'}>
                <p>Every refusal links to a page where whoever was refused can ask for an exception.</p>
              </Empty>
            )
          }
          return rows.map((exception) => (
            <ExceptionCard
              key={exception.id}
              exception={exception}
              why={why}
              onDo={(what) => setDoing({ exception, what })}
            />
          ))
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older</Button>}
      <ExceptionSettings />
      {doing?.what === 'end' && <EndException {...doing} onClose={() => setDoing(undefined)} />}
      {doing && doing.what !== 'end' && (
        <DecideException exception={doing.exception} decision={doing.what} onClose={() => setDoing(undefined)} />
      )}
    </>
  )
}

type CardProps = { exception: FirewallException; why: string | undefined; onDo: (what: Doing['what']) => void }

function ExceptionCard({ exception, why, onDo }: CardProps) {
  const to = usePathTo()
  const { ecosystem, name, version, state } = exception
  const page = `firewall/refused${formatSearch([
    ['ecosystem', ecosystem],
    ['package', `${name}@${version}`],
  ])}`
  return (
    <Card>
      <div className="row">
        <Tag tone={exceptionTone[state]}>{exceptionWords[state]}</Tag>
        <strong>
          <Link to={to(page)}>
            <Foreign text={`${name}@${version}`} mono />
          </Link>
        </strong>
        <span className="small muted">{ecosystem}</span>
        <Tag>{ruleWords[exception.rule] ?? exception.rule}</Tag>
        <span className="push muted small">
          {plural(exception.askerCount, 'person', 'people')} asked, the first <Ago at={exception.createdAt} />
        </span>
      </div>
      <p className="small muted">
        <Foreign text={exception.refusedBecause} clamp={300} />
      </p>
      <ul className="plain small">
        {exception.askers.slice(0, 5).map((asker) => (
          <li key={asker.personId}>
            <PersonName name={asker.personName} who={asker.personId} otherwise={`person ${asker.personId}`} />:{' '}
            <Foreign text={asker.reason} clamp={300} />
          </li>
        ))}
      </ul>
      {exception.decidedAt && <Decided exception={exception} />}
      {exception.newAdvisoryIds.length > 0 && (
        <p role="status">
          <Tag tone="warn">an advisory came since</Tag>{' '}
          <Foreign text={exception.newAdvisoryIds.slice(0, 5).join(', ')} mono />
        </p>
      )}
      <div className="row">
        {state === 'open' && (
          <>
            <Button why={why ?? neverFor[exception.rule]} look="primary" onClick={() => onDo('approve')}>
              Approve…
            </Button>
            <Button why={why} onClick={() => onDo('reject')}>
              Reject…
            </Button>
          </>
        )}
        {state === 'approved' && (
          <Button why={why} look="danger" onClick={() => onDo('end')}>
            End now…
          </Button>
        )}
      </div>
    </Card>
  )
}

function Decided({ exception }: { exception: FirewallException }) {
  const { state, expiresAt, decidedAt, decidedBy, decidedByName, decisionReason } = exception
  const { endedAt, endedBy, endedByName, endedReason } = exception
  return (
    <p className="small">
      <PersonName name={decidedByName} who={decidedBy} /> <Ago at={decidedAt!} />:{' '}
      <Foreign text={asSentence(decisionReason)} clamp={300} />
      {state !== 'rejected' && (
        <>
          {' '}
          <Foreign text={`${grantSentence(exception)}.`} />
          {expiresAt && !endedAt && (
            <>
              {' '}
              {state === 'expired' ? 'Ran out' : 'Until'} <Ago at={expiresAt} />.
            </>
          )}
        </>
      )}
      {endedAt && (
        <>
          {' '}
          Ended <Ago at={endedAt} /> by{' '}
          <PersonName name={endedByName} who={endedBy} otherwise={endedBy === 0 ? 'Gatehouse' : `person ${endedBy}`} />:{' '}
          <Foreign text={asSentence(endedReason)} clamp={300} />
        </>
      )}
    </p>
  )
}
