import { useState } from 'react'
import { useChange } from '../api/ask.ts'
import { useSessionState } from '../api/session.ts'
import { useDeployment } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/forms/field.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago } from '../ui/text/marks.tsx'
import type { Entry } from './discussion.tsx'

/** A comment, which its author may edit, or that it was given to somebody. */
export function CommentEntry({ entry }: { entry: Entry }) {
  const [editing, setEditing] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const { role } = useDeployment()
  const isMine = String(useSessionState().session?.person.id) === entry.authorId
  const remove = useChange('deleteComment', ['listDiscussion'])
  const mayDelete = isMine || role === 'owner' || role === 'admin'
  const isLive = entry.what === 'comment' && !entry.deletedAt
  return (
    <div className="comment">
      <div className="row tight">
        <strong>
          <PersonName name={entry.authorName} who={Number(entry.authorId)} otherwise="Somebody" />
        </strong>
        <span className="muted">
          {sentenceOf(entry)} · <Ago at={entry.at} />
          {entry.editedAt && !entry.deletedAt && ' · edited'}
        </span>
        {isLive && !editing && (
          <span className="push row tight">
            {isMine && (
              <Button look="plain" onClick={() => setEditing(true)}>
                Edit
              </Button>
            )}
            {mayDelete && (
              <Button look="plain" onClick={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
          </span>
        )}
      </div>
      {isLive &&
        (editing ? (
          <EditForm entry={entry} onDone={() => setEditing(false)} />
        ) : (
          <p className="words">
            <Foreign text={entry.text} clamp={1_500} />
          </p>
        ))}
      {deleting && (
        <Confirm
          title="Delete a comment"
          action="Delete the comment"
          onClose={() => setDeleting(false)}
          run={() =>
            remove
              .mutateAsync({ params: { commentId: Number(entry.id) } })
              .then(() => say('The comment is deleted.', 'no undo'))
          }
        >
          <p>Its text goes for good. That there was one stays.</p>
        </Confirm>
      )}
    </div>
  )
}

function sentenceOf(entry: Entry): string {
  if (entry.what === 'assignment')
    return entry.assignee ? `assigned it to ${entry.assignee.name}` : 'assigned it to nobody'
  return entry.deletedAt ? 'deleted a comment' : 'commented'
}

function EditForm({ entry, onDone }: { entry: Entry; onDone: () => void }) {
  const [text, setText] = useState(entry.text)
  const edit = useChange('editComment', ['listDiscussion'])
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        edit.mutate({ params: { commentId: Number(entry.id) }, body: { text } }, { onSuccess: onDone })
      }}
    >
      <Textarea
        label="Edit the comment"
        rows={3}
        maxLength={10_000}
        required
        value={text}
        wrong={edit.error?.message}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <Button type="submit" look="primary" why={edit.isPending ? 'Being saved' : undefined}>
          Save
        </Button>
        <Button look="plain" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
