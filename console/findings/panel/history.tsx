import { usePages } from '../../api/ask.ts'
import { useNameWithLeft } from '../../app/former-people.tsx'
import { Button } from '../../ui/button.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, State } from '../../ui/text/marks.tsx'
import { changeSentence } from '../words.ts'

export function History({ findingId, source }: { findingId: number; source: string }) {
  const pages = usePages('listFindingHistory', { params: { findingId } })
  const withLeft = useNameWithLeft()
  const named = <Named extends { deciderName: string; deciderId: string }>(change: Named): Named => ({
    ...change,
    deciderName: withLeft(change.deciderName, Number(change.deciderId)),
  })
  return (
    <section className="stack">
      <h3>History</h3>
      <Part of={pages}>
        {(data) => (
          <>
            <ol className="timeline">
              {data.pages
                .flatMap((page) => page.history)
                .map((change) => (
                  <li key={change.seq}>
                    <div>
                      <State state={change.toState} /> <Foreign text={changeSentence(named(change), source)} />{' '}
                      <span className="muted">
                        · <Ago at={change.at} />
                      </span>
                      {change.note && (
                        <p className="muted">
                          <Foreign text={change.note} clamp={400} />
                        </p>
                      )}
                    </div>
                  </li>
                ))}
            </ol>
            {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older changes</Button>}
          </>
        )}
      </Part>
    </section>
  )
}
