import { useEffect, useState } from 'react'
import { usePlainChange } from '../api/ask.ts'
import { makePasskey } from '../api/passkey.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { ErrorBox, Waiting } from '../ui/states.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'
import { QrCode } from './qr.tsx'

type Props = { onClose: () => void; onDone: (recoveryCodes: readonly string[]) => void }
const touches = ['getOwnFactors', 'listOwnSessions'] as const

/** The secret goes into the app, and a code comes back: then it counts. */
export function SetUpApp({ onClose, onDone }: Props) {
  const { mutateAsync: begin } = usePlainChange('beginAuthenticatorApp')
  const confirm = usePlainChange('confirmAuthenticatorApp', touches)
  const [begun, setBegun] = useState<{ secret: string; uri: string }>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    let gone = false
    begin({}).then(
      (answer) => !gone && setBegun(answer),
      (error: unknown) => !gone && setProblem(asProblem(error)),
    )
    return () => {
      gone = true
    }
  }, [begin])
  if (!begun) {
    return (
      <Dialog title="Set up an authenticator app" onClose={onClose}>
        {problem ? <ErrorBox problem={problem} /> : <Waiting />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title="Set up an authenticator app"
      action="Set it up"
      onClose={onClose}
      run={async (form) => {
        const { recoveryCodes } = await confirm.mutateAsync({ body: { code: form.text('code') } })
        confirm.reset()
        say('The app is set up.', 'no undo')
        onDone(recoveryCodes)
      }}
    >
      {(about) => (
        <>
          <p>Scan this with the app, or type the secret into it:</p>
          <QrCode text={begun.uri} label="QR code for the authenticator app" />
          <CopyLine text={begun.secret} label="the secret" />
          <Input
            label="Code that the app shows"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            minLength={6}
            maxLength={7}
            wrong={about('/code')}
          />
        </>
      )}
    </FormDialog>
  )
}

export function NewPasskey({ onClose, onDone }: Props) {
  const add = usePlainChange('addPasskey', touches)
  return (
    <FormDialog
      title="Add a passkey"
      action="Go on"
      onClose={onClose}
      run={async (form) => {
        const credential = await makePasskey()
        const { recoveryCodes } = await add.mutateAsync({ body: { name: form.text('name'), credential } })
        add.reset()
        say('The passkey is added.', 'no undo')
        onDone(recoveryCodes)
      }}
    >
      {(about) => (
        <Input
          label="Name"
          name="name"
          required
          maxLength={200}
          hint="What you call the device, for example “Work laptop”. The browser asks for the rest."
          wrong={about('/name')}
          autoFocus
        />
      )}
    </FormDialog>
  )
}
