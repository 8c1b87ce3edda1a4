import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { useSessionState } from '../api/session.ts'
import { formatSearch, type Pair, parseSearch } from '../app/address/address.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Popover } from '../ui/overlays/popover.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Tag } from '../ui/text/marks.tsx'
import { DeleteView, EditView, NewView } from './view-dialogs.tsx'

export type SavedView = Answer<'listViews'>['views'][number]
export type ViewPage = SavedView['page']

type Open = { what: 'new' } | { what: 'edit' | 'delete'; view: SavedView }

/** Questions of this page that were kept: one's own, and those that others share. */
export function SavedViews({ page, pairs }: { page: ViewPage; pairs: readonly Pair[] }) {
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const [open, setOpen] = useState(false)
  const [dialog, setDialog] = useState<Open>()
  const close = useCallback(() => setOpen(false), [])
  // Not for the plain page: there is no name to find for it.
  const views = useAsk('listViews', { query: { page } }, { staleTime: 60_000, enabled: open || pairs.length > 0 })
  const here = formatSearch(pairs)
  const current = views.data?.views.find((view) => formatSearch(parseSearch(view.search)) === here)
  return (
    <>
      <button
        ref={setButton}
        type="button"
        className={current ? 'chip on' : 'chip'}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className="value">{current ? <Foreign text={current.name} /> : 'Saved views'}</span>
        <Icon name="down" size={12} />
      </button>
      {open && button && (
        <Popover anchor={button} onClose={close} label="Saved views">
          <Inside>
            {views.error && <ErrorBox problem={views.error} retry={() => void views.refetch()} />}
            {views.data?.views.length === 0 && <p className="small muted">No view is saved yet.</p>}
            <ul className="saved-views">
              {views.data?.views.map((view) => (
                <ViewLine
                  key={view.id}
                  view={view}
                  isCurrent={view === current}
                  onDone={close}
                  onAsk={(what) => {
                    close()
                    setDialog({ what, view })
                  }}
                />
              ))}
            </ul>
            <Button
              onClick={() => {
                close()
                setDialog({ what: 'new' })
              }}
            >
              Save this view…
            </Button>
          </Inside>
        </Popover>
      )}
      {dialog?.what === 'new' && <NewView page={page} search={here} onClose={() => setDialog(undefined)} />}
      {dialog?.what === 'edit' && <EditView view={dialog.view} search={here} onClose={() => setDialog(undefined)} />}
      {dialog?.what === 'delete' && <DeleteView view={dialog.view} onClose={() => setDialog(undefined)} />}
    </>
  )
}

/** It has the focus, so that Escape closes it and the keyboard goes on from there. */
function Inside({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  // Once the popover around it is shown: until then nothing in it can have the focus.
  useEffect(() => box.current?.querySelector<HTMLElement>('a, button')?.focus(), [])
  return (
    <div className="inside stack tight" ref={box}>
      {children}
    </div>
  )
}

type LineProps = { view: SavedView; isCurrent: boolean; onDone: () => void; onAsk: (what: 'edit' | 'delete') => void }

function ViewLine({ view, isCurrent, onDone, onAsk }: LineProps) {
  const to = usePathTo()
  const { role } = useDeployment()
  const isMine = String(useSessionState().session?.person.id) === view.ownerId
  const mayChange = isMine || role === 'owner' || role === 'admin'
  return (
    <li className="row tight">
      <Link
        to={to(view.page) + formatSearch(parseSearch(view.search))}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onDone}
      >
        <Foreign text={view.name} />
      </Link>
      {view.shared && <Tag>{isMine ? 'shared' : 'shared by others'}</Tag>}
      {mayChange && (
        <span className="push row tight">
          <Button look="plain" aria-label={`Edit ${view.name}`} onClick={() => onAsk('edit')}>
            Edit
          </Button>
          <Button look="plain" aria-label={`Delete ${view.name}…`} onClick={() => onAsk('delete')}>
            Delete…
          </Button>
        </span>
      )}
    </li>
  )
}
