import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'

/** Says the same whether the address has an account or not, as the server does. */
export function Forgotten() {
  const [state, setState] = useState<'asking' | 'sent'>()
  return (
    <>
      <Button look="plain" onClick={() => setState('asking')}>
        Forgot your password?
      </Button>
      {state === 'sent' && (
        <p role="status" className="small muted">
          If the address has an account, a link that sets a new password is on its way to it. It works once, for an
          hour.
        </p>
      )}
      {state === 'asking' && (
        <FormDialog
          title="A new password"
          action="Mail me a link"
          onClose={() => setState((now) => (now === 'asking' ? undefined : now))}
          run={(form) =>
            call('requestPasswordReset', { body: { email: form.text('email') } }).then(() => setState('sent'))
          }
        >
          {(about) => (
            <Input
              label="Your e-mail"
              name="email"
              type="email"
              autoComplete="username"
              required
              wrong={about('/email')}
              autoFocus
            />
          )}
        </FormDialog>
      )}
    </>
  )
}
