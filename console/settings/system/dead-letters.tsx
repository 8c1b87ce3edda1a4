import { useState } from 'react'
import type { DeadLetter } from '../../../src/capabilities/dead-letters/contract.ts'
import { useChange, usePages } from '../../api/ask.ts'
import { firstOf, withValues } from '../../app/address/address.ts'
import { goSearch, usePlace } from '../../app/address/location.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/forms/search-field.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'

/** What was given up, with another try for it. */
export function DeadLetters() {
  const { pairs } = usePlace()
  const kind = firstOf(pairs, 'kind') ?? ''
  const text = firstOf(pairs, 'letters') ?? ''
  const pages = usePages('listDeadLetters', { query: { pageSize: 50, ...(kind && { kind }), ...(text && { text }) } })
  const write = useMay('jobs:write')
  const replay = useChange('replayDeadLetter', ['listDeadLetters'])
  const replayAll = useChange('replayDeadLetters', ['listDeadLetters'])
  const [deleting, setDeleting] = useState<DeadLetter>()
  const rows = pages.data?.pages.flatMap((page) => page.deadLetters) ?? []
  const total = pages.data?.pages[0]?.total
  const kinds = [...new Set(rows.map((row) => row.kind))]
  const all = () =>
    replayAll.mutate(
      { body: kind ? { kind } : {} },
      {
        onSuccess: ({ replayed }) =>
          say(`${plural(replayed, 'dead letter')} ${replayed === 1 ? 'is' : 'are'} tried again.`, 'no undo'),
        onError: (problem) => sayFailure(`Not done: ${problem.message}`),
      },
    )
  return (
    <Card
      title="Dead letters"
      aside={
        rows.length > 0 &&
        !text && (
          <Button why={write.why} onClick={all}>
            Try all {kind && `of ${kind} `}again
          </Button>
        )
      }
    >
      <p className="muted">Jobs that were given up after many tries. They are kept for 30 days.</p>
      <div className="row">
        <SearchField label="Search dead letters" name="letters" pairs={pairs} />
        {total !== undefined && <span className="muted">{plural(total, 'dead letter')}</span>}
      </div>
      {(kind || kinds.length > 1) && (
        <div className="row">
          {kind ? (
            <Button onClick={() => goSearch(withValues(pairs, 'kind', []))}>All kinds</Button>
          ) : (
            kinds.map((each) => (
              <Button key={each} onClick={() => goSearch(withValues(pairs, 'kind', [each]))}>
                Only {each}
              </Button>
            ))
          )}
        </div>
      )}
      <Part of={pages}>
        {() =>
          rows.length === 0 ? (
            <p>{kind || text ? 'No dead letter matches.' : 'None. Everything was delivered.'}</p>
          ) : (
            <Table
              label="Dead letters"
              rows={rows}
              keyOf={(row) => row.id}
              columns={[
                {
                  label: 'What',
                  cell: (row) => (
                    <>
                      <code>{row.kind}</code>
                      <div className="muted small">
                        <Foreign text={row.key} clamp={80} />
                      </div>
                    </>
                  ),
                },
                { label: 'Why', cell: (row) => <Foreign text={row.error} clamp={200} /> },
                { label: 'Tries', end: true, cell: (row) => row.attempts },
                { label: 'Given up', cell: (row) => <Ago at={row.deadAt} /> },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <span className="row tight end">
                      <Button
                        why={write.why}
                        onClick={() =>
                          replay.mutate(
                            { params: { deadLetterId: Number(row.id) } },
                            {
                              onSuccess: () => say('It is tried again.', 'no undo'),
                              onError: (problem) => sayFailure(`Not done: ${problem.message}`),
                            },
                          )
                        }
                      >
                        Try again
                      </Button>
                      <Button look="danger" why={write.why} onClick={() => setDeleting(row)}>
                        Throw away
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More dead letters</Button>}
      {deleting && <ThrowAway letter={deleting} onClose={() => setDeleting(undefined)} />}
    </Card>
  )
}

function ThrowAway({ letter, onClose }: { letter: DeadLetter; onClose: () => void }) {
  const remove = useChange('deleteDeadLetter', ['listDeadLetters'])
  return (
    <Confirm
      title="Throw a dead letter away"
      action={`Throw ${letter.kind} away`}
      onClose={onClose}
      run={() =>
        remove.mutateAsync({ params: { deadLetterId: Number(letter.id) } }).then(() => say('Thrown away.', 'no undo'))
      }
    >
      <p>
        This job will never be done: <code>{letter.key}</code>. This cannot be undone.
      </p>
    </Confirm>
  )
}
