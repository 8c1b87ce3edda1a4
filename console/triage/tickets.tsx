import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { Foreign, OutLink } from '../ui/text/foreign.tsx'
import { Tag } from '../ui/text/marks.tsx'
import { type Kind, kinds } from './kinds.ts'

type Subject = { kind: Kind; id: string }

const lookAgainMs = 1_000

/** A tracker takes a moment to make one, and nothing tells of its having done so: it is asked for until then. */
export function useTickets({ kind, id }: Subject) {
  const query = { [kinds[kind].about]: Number(id) }
  const beingMade = (known?: Answer<'listTickets'>) =>
    known?.tickets.some(({ state }) => state === 'TICKET_STATE_CREATING') && lookAgainMs
  return useAsk(
    'listTickets',
    { query },
    { keep: false, refetchInterval: ({ state }) => beingMade(state.data) ?? false },
  )
}

const asBody = ({ kind, id }: Subject) => ({ [kinds[kind].ids]: [id] })

/** The tickets of a finding or an issue, a way to link one that exists, and a way to let go of it. */
export function Tickets(subject: Subject) {
  const tickets = useTickets(subject)
  const [linking, setLinking] = useState(false)
  const { why } = useMay('tickets:write')
  const unlink = useChange('unlinkTicket', ['listTickets'])
  const all = tickets.data?.tickets ?? []
  return (
    <section className="stack">
      <div className="row">
        <h3>Tickets</h3>
        {all.length === 0 && (
          <Button look="plain" className="push" why={why} onClick={() => setLinking(!linking)}>
            Link a ticket
          </Button>
        )}
      </div>
      {tickets.error && <ErrorBox problem={tickets.error} retry={() => void tickets.refetch()} />}
      {all.map((ticket) => (
        <div key={ticket.id} className="row">
          {ticket.url ? (
            // The tracker is where an admin of the deployment said it is.
            <OutLink address={ticket.url}>
              <Foreign text={ticket.key} />
            </OutLink>
          ) : (
            <Foreign text={ticket.key || 'Being made'} />
          )}
          <Tag tone={ticket.state.endsWith('FAILED') ? 'bad' : ticket.isClosed ? 'ok' : undefined}>
            {ticket.statusName || ticket.state.slice(13).toLowerCase()}
          </Tag>
          {ticket.detail && <Foreign text={ticket.detail} clamp={200} />}
          <Button
            look="plain"
            className="push"
            why={why}
            onClick={() =>
              unlink.mutate(
                { params: { ticketId: ticket.id }, body: asBody(subject) },
                {
                  onSuccess: () => say('The ticket is no longer linked.', 'no undo'),
                  onError: (problem) => sayFailure(problem.message),
                },
              )
            }
          >
            Unlink
          </Button>
        </div>
      ))}
      {all.length === 0 && tickets.data && !linking && <p className="muted small">No ticket yet.</p>}
      {linking && all.length === 0 && <LinkForm subject={subject} onDone={() => setLinking(false)} />}
    </section>
  )
}

function LinkForm({ subject, onDone }: { subject: Subject; onDone: () => void }) {
  const link = useChange('linkTicket', ['listTickets'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get('key')).trim()
    link.mutate({ body: { key, ...asBody(subject) } }, { onSuccess: onDone })
  }
  return (
    <form className="form" onSubmit={submit}>
      <Input
        label="Key of the ticket"
        name="key"
        required
        maxLength={100}
        pattern="[A-Za-z0-9_\-]+"
        placeholder="SEC-12"
        wrong={link.error?.message}
      />
      <div className="row">
        <Button type="submit" why={link.isPending ? 'Being linked' : undefined}>
          Link
        </Button>
        <Button look="plain" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
