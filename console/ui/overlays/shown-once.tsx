import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { Check } from '../forms/field.tsx'
import { CopyLine } from '../text/copy-line.tsx'
import { Dialog } from './dialog.tsx'

/** A secret that no other answer holds. It is nowhere but here, and gone when this closes. */
export function ShownOnce(props: {
  title: string
  secret: string
  label: string
  onClose: () => void
  children?: ReactNode
}) {
  const [kept, setKept] = useState(false)
  return (
    <Dialog title={props.title} onClose={() => kept && props.onClose()}>
      <div className="banner">It is shown only now. Copy it before you close this.</div>
      <CopyLine text={props.secret} label={props.label} />
      {props.children}
      <Check label="I have it" checked={kept} onChange={(event) => setKept(event.target.checked)} />
      <div className="actions">
        <Button look="primary" why={kept ? undefined : 'Copy it, then tick “I have it”.'} onClick={props.onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}
