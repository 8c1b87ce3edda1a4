import { useState } from 'react'
import type { SignInProvider } from '../../../src/capabilities/sign-in-providers/contract.ts'
import type { Role } from '../../../src/kernel/access/permission.ts'
import { useAllTeams, useAsk, useChange } from '../../api/ask.ts'
import { useSessionState } from '../../api/session.ts'
import { Check, Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { roles } from '../words.ts'
import { linesOf, MappingEditor, mappingOf } from './mapping-editor.tsx'

type Props = { provider?: SignInProvider; onClose: () => void }

const listOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** A provider whole: a change replaces it, but for the secret. */
export function ProviderDialog({ provider, onClose }: Props) {
  const [lines, setLines] = useState(() => linesOf(provider?.mapping ?? []))
  const [enforced, setEnforced] = useState(provider?.enforced ?? false)
  const { teams } = useAllTeams()
  const people = useAsk('listPeople')
  const { session } = useSessionState()
  const create = useChange('createSignInProvider', ['listSignInProviders'])
  const replace = useChange('replaceSignInProvider', ['listSignInProviders'])
  const owners = people.data?.people.filter(({ role }) => role === 'owner') ?? []
  return (
    <FormDialog
      title={provider ? `Change ${provider.name}` : 'New sign-in provider'}
      action={provider ? 'Save' : 'Add it'}
      wide
      onClose={onClose}
      run={async (form) => {
        const secret = form.secret('clientSecret')
        const body = {
          name: form.text('name'),
          issuer: form.text('issuer'),
          clientId: form.text('clientId'),
          scopes: listOf(form.text('scopes')),
          domains: listOf(form.text('domains')),
          emailsAreVerified: form.has('emailsAreVerified'),
          groupsClaim: form.text('groupsClaim'),
          mapping: mappingOf(lines),
          defaultRole: (form.text('defaultRole') || null) as Role | null,
          listed: form.has('listed'),
          instanceWide: session?.operator ? form.has('instanceWide') : (provider?.instanceWide ?? false),
          enforced,
          breakGlassId: Number(form.text('breakGlassId')) || null,
        }
        if (provider) {
          const changed = secret ? { ...body, clientSecret: secret } : body
          await replace.mutateAsync({ params: { providerId: provider.id }, body: changed })
        } else await create.mutateAsync({ body: { ...body, clientSecret: secret } })
        say(provider ? 'Saved.' : 'Added. Enter its addresses at the provider, then try it.', 'no undo')
      }}
    >
      {(about) => (
        <>
          <Input
            label="Name"
            name="name"
            required
            maxLength={200}
            defaultValue={provider?.name ?? ''}
            hint="On the button: Sign in with …"
            wrong={about('/name')}
            autoFocus
          />
          <Input label="Issuer" name="issuer" required defaultValue={provider?.issuer ?? ''} wrong={about('/issuer')} />
          <div className="pair">
            <Input
              label="Client id"
              name="clientId"
              required
              defaultValue={provider?.clientId ?? ''}
              wrong={about('/clientId')}
            />
            <Input
              label="Client secret"
              name="clientSecret"
              type="password"
              autoComplete="off"
              required={!provider}
              hint={provider ? 'Leave it empty to keep the stored one.' : undefined}
              wrong={about('/clientSecret')}
            />
          </div>
          <div className="pair">
            <Input
              label="Mail domains"
              name="domains"
              required
              defaultValue={provider?.domains.join(', ') ?? ''}
              hint="The addresses that it may speak for, for example example.com."
              wrong={about('/domains') ?? about('/domains/0')}
            />
            <Input
              label="Scopes"
              name="scopes"
              defaultValue={provider?.scopes.join(' ') ?? 'email profile'}
              wrong={about('/scopes')}
            />
          </div>
          <Check
            name="emailsAreVerified"
            label="It never says whether an address is verified, and I know that each is (Microsoft Entra ID)"
            defaultChecked={provider?.emailsAreVerified ?? false}
          />
          <div className="pair">
            <Input
              label="Claim with the groups"
              name="groupsClaim"
              defaultValue={provider?.groupsClaim ?? ''}
              wrong={about('/groupsClaim')}
            />
            <Select
              label="Role without a group"
              name="defaultRole"
              defaultValue={provider ? (provider.defaultRole ?? '') : 'readonly'}
              choices={[{ value: '', label: 'Does not come in' }, ...roles]}
              wrong={about('/defaultRole')}
            />
          </div>
          <MappingEditor
            lines={lines}
            teams={teams}
            onChange={setLines}
            wrong={lines.map((_, at) => about(`/mapping/${at}/teams/0`)).find(Boolean) ?? about('/mapping')}
          />
          <Check
            name="listed"
            label="Show it to everybody on the sign-in page"
            defaultChecked={provider?.listed ?? true}
          />
          {session?.operator && (
            <Check
              name="instanceWide"
              label="For the whole instance: its sessions reach every deployment of a person"
              defaultChecked={provider?.instanceWide ?? false}
            />
          )}
          <Check
            name="enforced"
            label="Only single sign-on: passwords do not open this deployment any more"
            checked={enforced}
            onChange={(event) => setEnforced(event.target.checked)}
          />
          {enforced && (
            <p className="banner" role="alert">
              From the moment you save, sessions that began with a password do not reach this deployment, perhaps yours
              among them. If the provider fails, only the break-glass owner comes in. API tokens go on working.
            </p>
          )}
          {about('/enforced') && <span className="wrong small">{about('/enforced')}</span>}
          <Select
            label="Break-glass owner"
            name="breakGlassId"
            defaultValue={String(provider?.breakGlassId ?? '')}
            key={owners.length}
            choices={[
              { value: '', label: 'Nobody' },
              ...owners.map(({ id, name, email }) => ({ value: String(id), label: `${name} (${email})` })),
            ]}
            hint="The one owner who may also sign in with their password."
            wrong={about('/breakGlassId')}
          />
        </>
      )}
    </FormDialog>
  )
}
