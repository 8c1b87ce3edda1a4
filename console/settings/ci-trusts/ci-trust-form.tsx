import { useState } from 'react'
import type { CiTrust } from '../../../src/capabilities/ci-trusts/contract.ts'
import type { ServiceAccount } from '../../../src/capabilities/service-accounts/contract.ts'
import { useChange } from '../../api/ask.ts'
import { Check, Input, Select, Textarea } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { providers, readConditions, trustPermissions, writeConditions } from './ci-trust.ts'

type Props = { trust?: CiTrust; accounts: readonly ServiceAccount[]; onClose: () => void }

/** A trust whole: a change replaces it. */
export function CiTrustDialog({ trust, accounts, onClose }: Props) {
  const [provider, setProvider] = useState<CiTrust['provider']>(trust?.provider ?? 'github')
  const create = useChange('createCiTrust', ['listCiTrusts'])
  const replace = useChange('replaceCiTrust', ['listCiTrusts'])
  const usual = providers[provider]
  return (
    <FormDialog
      title={trust ? `Change ${trust.name}` : 'New CI trust'}
      action={trust ? 'Save' : 'Trust it'}
      wide
      onClose={onClose}
      run={async (form) => {
        const body = {
          name: form.text('name'),
          serviceAccountId: Number(form.text('account')),
          provider,
          issuer: form.text('issuer'),
          audience: form.text('audience'),
          conditions: readConditions(form.text('conditions')),
          permissions: trustPermissions.map(([each]) => each).filter((each) => form.has(each)),
          ...(provider === 'other' && {
            repositoryClaim: form.text('repositoryClaim'),
            refClaim: form.text('refClaim'),
          }),
        }
        if (trust) await replace.mutateAsync({ params: { trustId: trust.id }, body })
        else await create.mutateAsync({ body })
        say(trust ? 'Saved. Tokens that jobs had by it have ended.' : 'Its jobs are trusted.', 'no undo')
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
              defaultValue={trust?.name ?? ''}
              wrong={about('/name')}
              autoFocus
            />
            <Select
              label="CI system"
              name="provider"
              value={provider}
              choices={Object.entries(providers).map(([value, { label }]) => ({ value, label }))}
              onChange={(event) => setProvider(event.target.value as CiTrust['provider'])}
            />
          </div>
          <Input
            key={`issuer-${provider}`}
            label="Issuer"
            name="issuer"
            required
            defaultValue={trust?.provider === provider ? trust.issuer : usual.issuer}
            wrong={about('/issuer')}
          />
          <Input
            label="Audience"
            name="audience"
            required
            defaultValue={trust?.audience ?? location.origin}
            hint="What jobs ask their token for. The command line asks for the address of Gatehouse."
            wrong={about('/audience')}
          />
          <Textarea
            key={`conditions-${provider}`}
            label="Conditions, one a line: claim = value, value"
            name="conditions"
            rows={4}
            required
            defaultValue={trust?.provider === provider ? writeConditions(trust.conditions) : usual.condition}
            hint={`All of them must hold exactly. One must be an id, because names can be taken over. ${usual.hint}`}
            wrong={about('/conditions') ?? about('/conditions/0/values')}
          />
          {provider === 'other' && (
            <div className="pair">
              <Input
                label="Claim with the repository"
                name="repositoryClaim"
                required
                defaultValue={trust?.repositoryClaim ?? ''}
                wrong={about('/repositoryClaim')}
              />
              <Input
                label="Claim with the branch or tag"
                name="refClaim"
                required
                defaultValue={trust?.refClaim ?? ''}
                wrong={about('/refClaim')}
              />
            </div>
          )}
          <Select
            label="Jobs act as"
            name="account"
            defaultValue={String(trust?.serviceAccountId ?? accounts[0]?.id ?? '')}
            choices={accounts.map((each) => ({ value: String(each.id), label: `${each.name} (${each.role})` }))}
            wrong={about('/serviceAccountId')}
          />
          <fieldset className="stack tight">
            <legend className="legend">In their own repository they may</legend>
            {trustPermissions.map(([each, label]) => (
              <Check
                key={each}
                name={each}
                label={label}
                defaultChecked={trust ? trust.permissions.includes(each) : each.startsWith('scans:')}
              />
            ))}
            {about('/permissions') && <span className="wrong small">{about('/permissions')}</span>}
          </fieldset>
        </>
      )}
    </FormDialog>
  )
}
