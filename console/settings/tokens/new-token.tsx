import { useState } from 'react'
import type { ServiceAccount } from '../../../src/capabilities/service-accounts/contract.ts'
import { onlyFetchesPackages } from '../../../src/kernel/access/package-scope.ts'
import type { Permission } from '../../../src/kernel/access/permission.ts'
import { useChange } from '../../api/ask.ts'
import { useDeployment } from '../../app/deployment.ts'
import { Check, Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { ScopePicker } from './scope-picker.tsx'
import { givable } from './scopes.ts'

const lifetimes = [7, 30, 90, 180, 365].map((days) => ({ value: String(days), label: `${days} days` }))

type Props = {
  /** The service account that it is for; without one it is the person's own. */
  account?: ServiceAccount
  onClose: () => void
  onMade: (secret: string) => void
}

/** Name, scopes and how long. The secret goes to whoever shows it, once, and is kept nowhere else. */
export function NewTokenDialog({ account, onClose, onMade }: Props) {
  const { permissions: own } = useDeployment()
  const permissions = givable(account?.scopes ?? [], own)
  const [scopes, setScopes] = useState<ReadonlySet<Permission>>(new Set())
  const [narrow, setNarrow] = useState(true)
  const create = useChange('createToken', ['listTokens'])
  const createFor = useChange('createServiceAccountToken', [
    'listServiceAccounts',
    'listServiceAccountTokens',
    'listTokens',
  ])
  const asks = account !== undefined || !onlyFetchesPackages(narrow ? [...scopes] : undefined)
  return (
    <FormDialog
      title={account ? `New token for ${account.name}` : 'New token'}
      action="Make the token"
      wide
      onClose={onClose}
      run={async (form) => {
        if (narrow && scopes.size === 0)
          throw new Error(`Choose at least one scope, or all that ${account ? 'the account' : 'you'} may do.`)
        const body = {
          name: form.text('name'),
          expiresInDays: Number(form.text('days')),
          webApi: form.has('webApi'),
          ...(narrow && { scopes: [...scopes] }),
        }
        const { secret } = account
          ? await createFor.mutateAsync({ params: { serviceAccountId: account.id }, body })
          : await create.mutateAsync({ body })
        // Answers of changes are remembered until the next one; this one must not be.
        create.reset()
        createFor.reset()
        onMade(secret)
      }}
    >
      {(about) => (
        <>
          <div className="pair">
            <Input
              label="Name"
              name="name"
              required
              maxLength={200}
              placeholder="ci"
              wrong={about('/name')}
              autoFocus
            />
            <Select label="Expires after" name="days" choices={lifetimes} defaultValue="90" />
          </div>
          <Check name="webApi" defaultChecked label="For the Web API" />
          <fieldset className="stack">
            <legend className="legend">What it may do</legend>
            <div className="row">
              <label className="check">
                <input type="radio" name="width" checked={narrow} onChange={() => setNarrow(true)} />
                <span>Only these scopes</span>
              </label>
              <label className="check">
                <input type="radio" name="width" checked={!narrow} onChange={() => setNarrow(false)} />
                <span>{account ? 'All that the account may do' : 'All that I may do'}</span>
              </label>
            </div>
            {narrow && (
              <ScopePicker permissions={permissions} scopes={scopes} wrong={about('/scopes')} onChoose={setScopes} />
            )}
          </fieldset>
          {asks && <p className="muted small">It gives power to a program, so your password is asked for.</p>}
        </>
      )}
    </FormDialog>
  )
}
