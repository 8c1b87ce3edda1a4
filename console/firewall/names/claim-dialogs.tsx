import { type FormEvent, useRef, useState } from 'react'
import { useAsk, useChange } from '../../api/ask.ts'
import type { Body } from '../../api/contracts.ts'
import { Button } from '../../ui/button.tsx'
import { Input, Select, Textarea } from '../../ui/forms/field.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { ErrorBox } from '../../ui/states.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { ClaimTrial } from './claim-trial.tsx'
import type { Claim } from './names.tsx'

type NewClaim = Body<'createPackageClaim'>
type Ecosystem = NewClaim['ecosystem']

const patterns: Record<Ecosystem, string> = {
  npm: 'company-*, @company/* or a whole name',
  pypi: 'company-* or a whole name',
  maven: 'com.company.* with all groups below it, a group, or group:artifact',
  cargo: 'company-* or a whole name',
  gomod: 'git.company.example/* or a module path',
}
const ecosystems = Object.keys(patterns) as Ecosystem[]

/** Says that names are ours, and who is asked for them. */
export function ClaimDialog({ onClose }: { onClose: () => void }) {
  const create = useChange('createPackageClaim', ['listPackageClaims', 'getVerdict'])
  const registries = useAsk('listPackageManagerConfigs')
  const [ecosystem, setEcosystem] = useState<Ecosystem>('npm')
  const [tried, setTried] = useState<NewClaim>()
  const form = useRef<HTMLFormElement>(null)
  const fitting = (registries.data?.packageManagerConfigsWithCredentials ?? []).filter(
    ({ config }) => config.ecosystem === ecosystem,
  )
  const attempt = () => {
    if (form.current?.reportValidity()) setTried(claimIn(form.current))
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(
      { body: claimIn(event.currentTarget) },
      {
        onSuccess: ({ claim }) => {
          say(`${claim.pattern} is claimed, everywhere within a second.`, 'no undo')
          onClose()
        },
      },
    )
  }
  return (
    <Dialog title="Claim names" onClose={onClose}>
      <form className="form" onSubmit={submit} ref={form}>
        <div className="pair">
          <Select
            label="Ecosystem"
            name="ecosystem"
            value={ecosystem}
            onChange={(event) => setEcosystem(event.target.value as Ecosystem)}
            choices={ecosystems}
          />
          <Select
            label="Asked of"
            name="registry"
            choices={[
              { value: '', label: 'nobody: refuse them' },
              ...fitting.map(({ config }) => ({ value: String(config.id), label: plainly(config.name) })),
            ]}
            hint={registries.data && fitting.length === 0 ? `There is no registry for ${ecosystem} yet.` : undefined}
            wrong={create.error?.about('/packageManagerConfigId')}
          />
        </div>
        <Input
          label="Names"
          name="pattern"
          className="mono"
          required
          maxLength={300}
          hint={`${patterns[ecosystem]}.`}
          wrong={create.error?.about('/pattern')}
        />
        <Textarea label="Why" name="reason" required maxLength={500} rows={2} wrong={create.error?.about('/reason')} />
        {create.error && <ErrorBox problem={create.error} />}
        {tried && <ClaimTrial body={{ create: [tried] }} />}
        <div className="actions">
          <Button onClick={attempt}>Try it on the last 30 days</Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" why={create.isPending ? 'In progress' : undefined}>
            Claim
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Says beforehand for which names strangers would be asked again. */
export function DeleteClaim({ claim, onClose }: { claim: Claim; onClose: () => void }) {
  const remove = useChange('deletePackageClaim', ['listPackageClaims', 'getVerdict'])
  const create = useChange('createPackageClaim', ['listPackageClaims', 'getVerdict'])
  const { ecosystem, pattern, packageManagerConfigId, reason } = claim
  const putBack = () =>
    create
      .mutateAsync({ body: { ecosystem, pattern, packageManagerConfigId, reason } })
      .then(() => say(`Undone: ${pattern} is claimed again.`))
  return (
    <Confirm
      title={`Delete the claim of ${plainly(pattern)}`}
      action="Delete the claim"
      onClose={onClose}
      run={async () => {
        await remove.mutateAsync({ params: { packageClaimId: claim.id } })
        say(`${pattern} is no longer claimed.`, putBack)
      }}
    >
      <p>
        Whoever would be asked for any name is asked for these again. Names that a registry was seen to have stay with
        it.
      </p>
      <ClaimTrial body={{ deleteIds: [claim.id] }} />
    </Confirm>
  )
}

function claimIn(form: HTMLFormElement): NewClaim {
  const fields = new FormData(form)
  const text = (field: string) => String(fields.get(field) ?? '').trim()
  const registry = text('registry')
  return {
    ecosystem: text('ecosystem') as Ecosystem,
    pattern: text('pattern'),
    packageManagerConfigId: registry === '' ? null : Number(registry),
    reason: text('reason'),
  }
}
