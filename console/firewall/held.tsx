import { type FormEvent, useState } from 'react'
import type { HeldAdvisory } from '../../src/capabilities/firewall/overrides/review-contract.ts'
import { useChange, usePages, useReadOn } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/forms/field.tsx'
import { Link } from '../ui/link.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, ErrorBox, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { ListFilter, useListFilter } from './list-filter.tsx'

type Asking = { held: HeldAdvisory; decision: 'confirm' | 'release' }
const tone = { held: 'warn', confirmed: 'bad', released: 'ok' } as const

export function Held() {
  const to = usePathTo()
  const { why } = useMay('firewall:write')
  const filter = useListFilter(['held', 'confirmed', 'released'])
  const pages = usePages('listHeldAdvisories', { query: { pageSize: 100, ...filter.query } })
  // All of them: those that wait come first, and the newest are on the last page.
  useReadOn(pages)
  const [asking, setAsking] = useState<Asking>()
  return (
    <>
      <ListFilter {...filter} states={{ held: 'Held', confirmed: 'Confirmed', released: 'Released' }} />
      <Part of={pages}>
        {(data) => {
          const rows = data.pages
            .flatMap((page) => page.heldAdvisories)
            .toSorted((a, b) => Number(b.state === 'held') - Number(a.state === 'held') || b.id - a.id)
          if (rows.length === 0) {
            return (
              <Empty title={filter.isNarrow ? 'Nothing held matches' : 'Nothing is held'}>
                <p>
                  An advisory that names every version of something widely used waits here for a person, so that one
                  mistaken advisory cannot stop every build.
                </p>
              </Empty>
            )
          }
          return rows.map((held) => (
            <Card key={held.id}>
              <div className="row">
                <Tag tone={tone[held.state]}>{held.state}</Tag>
                <strong>
                  <Foreign text={`${held.name} (${held.ecosystem})`} />
                </strong>
                <Foreign text={held.advisoryId} mono />
                <Link
                  to={to(
                    `dependencies${formatSearch([
                      ['ecosystem', held.ecosystem],
                      ['name', held.name],
                    ])}`,
                  )}
                >
                  {plural(held.repositoryCount, 'repository', 'repositories')}{' '}
                  {held.state === 'confirmed' ? 'have it' : 'would be hit'}
                </Link>
                <span className="push muted small">
                  <PersonName name={held.decidedByName} who={held.decidedBy} />{' '}
                  <Ago at={held.decidedAt ?? held.createdAt} />
                </span>
              </div>
              {held.versions.length > 0 && (
                <p className="small">
                  {held.state === 'held' ? 'Versions that wait' : 'Versions it was about'}:{' '}
                  <Foreign text={held.versions.join(', ')} mono clamp={300} />
                </p>
              )}
              {held.reason && (
                <p className="small muted">
                  <Foreign text={held.reason} clamp={300} />
                </p>
              )}
              <div className="row">
                {held.state !== 'confirmed' && (
                  <Button why={why} look="danger" onClick={() => setAsking({ held, decision: 'confirm' })}>
                    {held.state === 'held' ? 'Confirm: block it' : 'Block it after all'}
                  </Button>
                )}
                {held.state !== 'released' && (
                  <Button why={why} onClick={() => setAsking({ held, decision: 'release' })}>
                    {held.state === 'held' ? 'Release: let it in' : 'Let it in after all'}
                  </Button>
                )}
              </div>
            </Card>
          ))
        }}
      </Part>
      {asking && <DecideDialog {...asking} onClose={() => setAsking(undefined)} />}
    </>
  )
}

function DecideDialog({ held, decision, onClose }: Asking & { onClose: () => void }) {
  const decide = useChange('decideHeldAdvisory', ['listHeldAdvisories', 'getVerdict'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const reason = String(new FormData(event.currentTarget).get('reason'))
    decide.mutate(
      { params: { heldAdvisoryId: held.id }, body: { decision, reason } },
      {
        onSuccess: () => {
          say(decision === 'confirm' ? `${held.name} is blocked.` : `${held.name} comes in.`, 'no undo')
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title={decision === 'confirm' ? `Block every version of ${held.name}` : `Let ${held.name} in`}
      onClose={onClose}
    >
      <form className="form" onSubmit={submit}>
        <p>
          {decision === 'confirm'
            ? `Builds of ${plural(held.repositoryCount, 'repository', 'repositories')} that install it will fail from now on.`
            : 'The advisory no longer stops it. It can be decided otherwise later.'}
        </p>
        <Textarea
          label="Why"
          name="reason"
          required
          maxLength={500}
          hint="Shown to whoever is refused."
          wrong={decide.error?.about('/reason')}
        />
        {decide.error && <ErrorBox problem={decide.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" why={decide.isPending ? 'In progress' : undefined}>
            {decision === 'confirm' ? 'Confirm' : 'Release'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
