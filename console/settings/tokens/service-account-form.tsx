import { useState } from 'react'
import type { ServiceAccount } from '../../../src/capabilities/service-accounts/contract.ts'
import type { Permission } from '../../../src/kernel/access/permission.ts'
import { useChange } from '../../api/ask.ts'
import { useDeployment } from '../../app/deployment.ts'
import { Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { roleAbout } from '../words.ts'
import { ScopePicker } from './scope-picker.tsx'

const serviceRoles: readonly ServiceAccount['role'][] = ['member', 'readonly', 'admin']

/** A new service account, or another purpose, role and scopes for one that is there. */
export function AccountDialog({ account, onClose }: { account?: ServiceAccount; onClose: () => void }) {
  const { permissions: own } = useDeployment()
  const [role, setRole] = useState<ServiceAccount['role']>(account?.role ?? 'member')
  const [narrow, setNarrow] = useState(account ? account.scopes.length > 0 : true)
  const [scopes, setScopes] = useState<ReadonlySet<Permission>>(new Set(account?.scopes))
  const create = useChange('createServiceAccount', ['listServiceAccounts'])
  const update = useChange('updateServiceAccount', ['listServiceAccounts'])
  const chosen = [...scopes]
  return (
    <FormDialog
      title={account ? `Change ${account.name}` : 'New service account'}
      action={account ? 'Save' : 'Make the account'}
      wide
      onClose={onClose}
      run={async (form) => {
        if (narrow && chosen.length === 0) throw new Error('Choose at least one scope, or all that its role may do.')
        const body = { description: form.text('description'), role, scopes: narrow ? chosen : [] }
        if (account) await update.mutateAsync({ params: { serviceAccountId: account.id }, body })
        else await create.mutateAsync({ body: { name: form.text('name'), ...body } })
        say(
          account ? `${account.name} is changed.` : 'The service account is made. Make a token for it next.',
          'no undo',
        )
      }}
    >
      {(about) => (
        <>
          {!account && (
            <Input
              label="Name"
              name="name"
              required
              maxLength={200}
              placeholder="ci-shop"
              wrong={about('/name')}
              autoFocus
            />
          )}
          <Input
            label="What it is for, and who to ask"
            name="description"
            maxLength={1000}
            defaultValue={account?.description ?? ''}
            wrong={about('/description')}
          />
          <Select
            label="Role"
            name="role"
            value={role}
            choices={serviceRoles.map((each) => ({ value: each, label: `${each}: ${roleAbout[each]}` }))}
            onChange={(event) => setRole(event.target.value as ServiceAccount['role'])}
          />
          <fieldset className="stack">
            <legend className="legend">What it may do</legend>
            <div className="row">
              <label className="check">
                <input type="radio" name="width" checked={narrow} onChange={() => setNarrow(true)} />
                <span>Only these scopes</span>
              </label>
              <label className="check">
                <input type="radio" name="width" checked={!narrow} onChange={() => setNarrow(false)} />
                <span>All that its role may do</span>
              </label>
            </div>
            {narrow && (
              <ScopePicker
                permissions={own}
                scopes={scopes}
                wrong={about('/scopes') ?? about('/scopes/0')}
                onChoose={setScopes}
              />
            )}
          </fieldset>
          <p className="muted small">It gives power to a program, so your password is asked for.</p>
        </>
      )}
    </FormDialog>
  )
}
