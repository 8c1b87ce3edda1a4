import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../../api/ask.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { ErrorBox } from '../../ui/states.tsx'
import { Foreign, ForeignLink } from '../../ui/text/foreign.tsx'
import { Tag } from '../../ui/text/marks.tsx'

/** The tickets of a finding, a way to link one that exists, and a way to let go of it. */
export function Tickets({ findingId }: { findingId: string }) {
  const tickets = useAsk('listTickets', { query: { findingId: Number(findingId) } }, { keep: false })
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
            <ForeignLink address={ticket.url} label={ticket.key} />
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
                { params: { ticketId: ticket.id }, body: { findingIds: [findingId] } },
                { onSuccess: () => say('The ticket is no longer linked.'), onError: (problem) => say(problem.message) },
              )
            }
          >
            Unlink
          </Button>
        </div>
      ))}
      {all.length === 0 && tickets.data && !linking && <p className="muted small">No ticket yet.</p>}
      {linking && all.length === 0 && <LinkForm findingId={findingId} onDone={() => setLinking(false)} />}
    </section>
  )
}

function LinkForm({ findingId, onDone }: { findingId: string; onDone: () => void }) {
  const link = useChange('linkTicket', ['listTickets'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get('key')).trim()
    link.mutate({ body: { key, findingIds: [findingId] } }, { onSuccess: onDone })
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
