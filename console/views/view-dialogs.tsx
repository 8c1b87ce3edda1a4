import { useState } from 'react'
import { useChange, useTagged } from '../api/ask.ts'
import type { Problem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Stale } from '../ui/stale.tsx'
import { ErrorBox, Waiting } from '../ui/states.tsx'
import type { SavedView, ViewPage } from './saved-views.tsx'

export function NewView({ page, search, onClose }: { page: ViewPage; search: string; onClose: () => void }) {
  const create = useChange('createView', ['listViews'])
  return (
    <FormDialog
      title="Save this view"
      action="Save the view"
      onClose={onClose}
      run={async (texts) => {
        const body = { page, search, name: texts.text('name'), shared: texts.has('shared') }
        await create.mutateAsync({ body })
        say(`The view ${body.name} is saved.`, 'no undo')
      }}
    >
      {(about) => (
        <>
          <Input label="Name" name="name" required maxLength={80} wrong={about('name')} />
          <SharedChoice />
        </>
      )}
    </FormDialog>
  )
}

function SharedChoice({ checked = false, onChange }: { checked?: boolean; onChange?: (shared: boolean) => void }) {
  const { role } = useDeployment()
  const mayNot = role === 'readonly'
  return (
    <label className="check">
      <input
        type="checkbox"
        name="shared"
        disabled={mayNot}
        {...(onChange ? { checked, onChange: (event) => onChange(event.target.checked) } : {})}
      />
      <span>Share it with everybody in the deployment{mayNot && ' (takes the role member)'}</span>
    </label>
  )
}

export function DeleteView({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const remove = useChange('deleteView', ['listViews'])
  return (
    <Confirm
      title={`Delete the view ${view.name.slice(0, 80)}`}
      action="Delete the view"
      onClose={onClose}
      run={() =>
        remove
          .mutateAsync({ params: { viewId: Number(view.id) } })
          .then(() => say(`The view ${view.name} is deleted.`, 'no undo'))
      }
    >
      <p>{view.shared && 'Everybody in the deployment loses it. '}It cannot be brought back; what it shows stays.</p>
    </Confirm>
  )
}

type Texts = { name: string; search: string; shared: boolean }
type EditProps = { view: SavedView; search: string; onClose: () => void }

/** Renames a view, shares it, or lets it ask what the page asks now. */
export function EditView({ view, search, onClose }: EditProps) {
  const asked = useTagged('getView', { params: { viewId: Number(view.id) } })
  return (
    <Dialog title={`Edit the view ${view.name.slice(0, 80)}`} onClose={onClose}>
      {asked.error && <ErrorBox problem={asked.error} retry={() => void asked.refetch()} />}
      {!asked.data && !asked.error && <Waiting />}
      {asked.data && (
        <EditForm
          stored={asked.data.data.view}
          etag={asked.data.etag}
          search={search}
          read={async () => (await asked.refetch()).data}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

type Tagged = { data: { view: SavedView }; etag: string | undefined }
type FormProps = {
  stored: SavedView
  etag: string | undefined
  search: string
  read: () => Promise<Tagged | undefined>
  onClose: () => void
}

function EditForm({ stored, etag, search, read, onClose }: FormProps) {
  const [mine, setMine] = useState<Texts>({ name: stored.name, search: stored.search, shared: stored.shared })
  // What was there when editing began: only on top of it is anything saved.
  const [seen] = useState(etag)
  const [theirs, setTheirs] = useState<Tagged>()
  const replace = useChange('replaceView', ['listViews', 'getView'])
  const save = (ifMatch: string | undefined) =>
    replace.mutate(
      { params: { viewId: Number(stored.id) }, body: mine, ifMatch },
      {
        onSuccess: () => {
          say(`The view ${mine.name} is saved.`, 'no undo')
          onClose()
        },
        onError: (problem: Problem) => {
          if (problem.status === 412) void read().then(setTheirs)
        },
      },
    )
  const now = theirs?.data.view
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        save(seen)
      }}
    >
      <Input
        label="Name"
        required
        maxLength={80}
        value={mine.name}
        wrong={replace.error?.about('name')}
        onChange={(event) => setMine({ ...mine, name: event.target.value })}
      />
      <SharedChoice checked={mine.shared} onChange={(shared) => setMine({ ...mine, shared })} />
      <label className="check">
        <input
          type="checkbox"
          checked={mine.search === search}
          onChange={(event) => setMine({ ...mine, search: event.target.checked ? search : stored.search })}
        />
        <span>Ask what the page asks now</span>
      </label>
      {now && (
        <Stale
          differences={[
            { name: 'Name', mine: mine.name, theirs: now.name },
            { name: 'Asks for', mine: mine.search || 'everything', theirs: now.search || 'everything' },
            { name: 'Shared', mine: mine.shared ? 'yes' : 'no', theirs: now.shared ? 'yes' : 'no' },
          ]}
          onTheirs={onClose}
          onMine={() => save(theirs.etag)}
        />
      )}
      {replace.error && replace.error.status !== 412 && <ErrorBox problem={replace.error} />}
      {!now && (
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" why={replace.isPending ? 'Being saved' : undefined}>
            Save the view
          </Button>
        </div>
      )}
    </form>
  )
}
