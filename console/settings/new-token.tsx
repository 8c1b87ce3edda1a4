import { useState } from 'react'
import type { Permission } from '../../src/kernel/access/permission.ts'
import { useChange } from '../api/ask.ts'
import { useDeployment } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Check, Input, Select } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { changesThings, purposes, scopeMatrix } from './scopes.ts'

const lifetimes = [7, 30, 90, 180, 365].map((days) => ({ value: String(days), label: `${days} days` }))

/** Name, scopes and how long. The secret goes to whoever shows it, once, and is kept nowhere else. */
export function NewTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const { permissions } = useDeployment()
  const [scopes, setScopes] = useState<ReadonlySet<Permission>>(new Set())
  const [narrow, setNarrow] = useState(true)
  const create = useChange('createToken', ['listTokens'])
  const toggle = (scope: Permission) => {
    const next = new Set(scopes)
    if (!next.delete(scope)) next.add(scope)
    setScopes(next)
  }
  const fitting = Object.entries(purposes).filter(([, { scopes: needed }]) =>
    needed.every((scope) => permissions.includes(scope)),
  )
  const asks = changesThings(narrow ? [...scopes] : [])
  return (
    <FormDialog
      title="New token"
      action="Make the token"
      wide
      onClose={onClose}
      run={async (form) => {
        const { secret } = await create.mutateAsync({
          body: {
            name: form.text('name'),
            expiresInDays: Number(form.text('days')),
            webApi: form.has('webApi'),
            ...(narrow && { scopes: [...scopes] }),
          },
        })
        // Answers of changes are remembered until the next one; this one must not be.
        create.reset()
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
                <span>All that I may do</span>
              </label>
            </div>
            {narrow && (
              <>
                <div className="row">
                  {fitting.map(([name, purpose]) => (
                    <Button key={name} onClick={() => setScopes(new Set(purpose.scopes))}>
                      {purpose.label}
                    </Button>
                  ))}
                  <Button look="plain" onClick={() => setScopes(new Set())}>
                    None
                  </Button>
                </div>
                {about('/scopes') && <span className="wrong small">{about('/scopes')}</span>}
                <div className="matrix scopes">
                  {scopeMatrix(permissions).map((row) => (
                    <fieldset key={row.subject} className="scope-row">
                      <legend className="small">{row.subject}</legend>
                      {row.scopes.map(({ scope, verb }) => (
                        <Check
                          key={scope}
                          label={verb}
                          aria-label={scope}
                          checked={scopes.has(scope)}
                          onChange={() => toggle(scope)}
                        />
                      ))}
                    </fieldset>
                  ))}
                </div>
              </>
            )}
          </fieldset>
          {asks && <p className="muted small">It can change things, so your password is asked for.</p>}
        </>
      )}
    </FormDialog>
  )
}
