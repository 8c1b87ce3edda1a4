import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { refresh, useChange, usePages } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/forms/field.tsx'
import { Part } from '../ui/states.tsx'
import { CommentEntry } from './comment.tsx'
import { type Kind, kinds } from './kinds.ts'
import { PersonChooser } from './person-chooser.tsx'
import { useAssign } from './use-assign.ts'

export type Entry = Answer<'listDiscussion'>['entries'][number]

/** Who looks after it, and what people said about it. */
export function Discussion({ kind, id }: { kind: Kind; id: string }) {
  const pages = usePages('listDiscussion', { query: { [kinds[kind].about]: id, pageSize: 20 } })
  const assign = useAssign(kind)
  return (
    <section className="stack">
      <h3>Discussion</h3>
      <Part of={pages}>
        {(data) => (
          <>
            <div className="row">
              <span className="muted">Assignee</span>
              <PersonChooser
                label="Assignee"
                empty="Nobody"
                chosen={data.pages[0]?.assignee ?? undefined}
                onChoose={(person) => void assign({ ids: [id], filters: [] }, person)}
              />
            </div>
            <NewComment kind={kind} id={id} />
            <ol className="timeline">
              {data.pages
                .flatMap((page) => page.entries)
                .map((entry) => (
                  <li key={entry.id}>
                    <CommentEntry entry={entry} />
                  </li>
                ))}
            </ol>
            {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Earlier entries</Button>}
          </>
        )}
      </Part>
    </section>
  )
}

function NewComment({ kind, id }: { kind: Kind; id: string }) {
  const { why } = useMay('discussions:write')
  const client = useQueryClient()
  const [text, setText] = useState(() => client.getQueryData<string>(['draft', kind, id]) ?? '')
  const change = useChange('createComment')
  // Whoever looks at another one in between finds here what they had begun.
  const write = (next: string) => {
    setText(next)
    client.setQueryData(['draft', kind, id], next)
  }
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (why || change.isPending || text.trim() === '') return
    change.mutate(
      { body: { [kinds[kind].about]: id, text } as { findingId: string; text: string } },
      {
        onSuccess: () => {
          write('')
          void refresh(client, ['listDiscussion'])
        },
      },
    )
  }
  if (why) return <p className="small muted">{why}</p>
  return (
    <form className="stack tight" onSubmit={submit}>
      <Textarea
        label="Comment"
        rows={2}
        maxLength={10_000}
        value={text}
        wrong={change.error?.message}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit()}
      />
      {text.trim() !== '' && (
        <div className="row">
          <Button type="submit" look="primary" why={change.isPending ? 'Being sent' : undefined}>
            Comment
          </Button>
          <span className="small muted">Ctrl Enter sends it. It is kept as plain text.</span>
        </div>
      )}
    </form>
  )
}
