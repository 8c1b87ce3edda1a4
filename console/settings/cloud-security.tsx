import { useState } from 'react'
import type { CloudsecCredential, Verdict } from '../../src/capabilities/cloudsec/contract.ts'
import { useChange, useFresh, usePages, useTagged } from '../api/ask.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { useOpened } from '../ui/forms/begun.ts'
import { Input } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, ErrorBox, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { SettingsPage } from './frame.tsx'
import { isOtherOrigin } from './registries/registry.ts'

const touched = ['listCloudsecCredentials', 'getCloudsecCredential'] as const
type Open = { what: 'new' } | { what: 'edit' | 'delete'; credential: CloudsecCredential }

export default function CloudSecurityPage() {
  const pages = usePages('listCloudsecCredentials', { query: { pageSize: 50 } })
  const write = useMay('cloudsec:write')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const rows = pages.data?.pages.flatMap((page) => page.cloudsecCredentials) ?? []
  return (
    <SettingsPage
      title="Cloud security"
      about="Service accounts at a cloud-security service, for automations that send findings to it."
      actions={
        <Button look="primary" why={write.why} onClick={() => setOpen({ what: 'new' })}>
          Add a credential
        </Button>
      }
    >
      <Part of={pages}>
        {() =>
          rows.length === 0 ? (
            <Empty title="No credential yet">
              <p>Add a service account, then an automation can send findings there.</p>
            </Empty>
          ) : (
            <>
              {rows.map((credential) => (
                <CredentialCard
                  key={credential.id}
                  credential={credential}
                  why={write.why}
                  onEdit={() => setOpen({ what: 'edit', credential })}
                  onDelete={() => setOpen({ what: 'delete', credential })}
                />
              ))}
              {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More credentials</Button>}
            </>
          )
        }
      </Part>
      {open?.what === 'new' && <CredentialForm onClose={close} />}
      {open?.what === 'edit' && <Loaded id={Number(open.credential.id)} onClose={close} />}
      {open?.what === 'delete' && <DeleteDialog credential={open.credential} onClose={close} />}
    </SettingsPage>
  )
}

type CardProps = { credential: CloudsecCredential; why: string | undefined; onEdit: () => void; onDelete: () => void }

function CredentialCard({ credential, why, onEdit, onDelete }: CardProps) {
  const validate = useChange('validateCloudsecCredential')
  return (
    <Card title={credential.clientId}>
      <dl className="facts">
        <dt>API</dt>
        <dd>
          <Foreign text={credential.apiUrl} mono />
        </dd>
        <dt>Tokens</dt>
        <dd>
          <Foreign text={credential.tokenUrl} mono />
        </dd>
      </dl>
      {validate.data && <VerdictLine verdict={validate.data} />}
      {validate.error && <ErrorBox problem={validate.error} />}
      <div className="row">
        <Button
          why={why ?? (validate.isPending ? 'Being tried' : undefined)}
          onClick={() => validate.mutate({ params: { id: Number(credential.id) } })}
        >
          Try it
        </Button>
        <Button why={why} onClick={onEdit}>
          Edit
        </Button>
        <Button look="danger" why={why} onClick={onDelete}>
          Delete…
        </Button>
      </div>
    </Card>
  )
}

function VerdictLine({ verdict }: { verdict: Verdict }) {
  return (
    <div className={verdict.valid ? 'banner ok' : 'banner bad'} role="status">
      {verdict.valid ? 'It works: the service gave a token.' : <Foreign text={verdict.detail} clamp={400} />}
    </div>
  )
}

function Loaded({ id, onClose }: { id: number; onClose: () => void }) {
  const asked = useTagged('getCloudsecCredential', { params: { id } })
  const opened = useOpened(asked)
  if (opened) return <CredentialForm stored={opened.data.cloudsecCredential} etag={opened.etag} onClose={onClose} />
  return (
    <Dialog title="Credential" onClose={onClose}>
      <Part of={{ ...asked, data: undefined }}>{() => null}</Part>
    </Dialog>
  )
}

type FormProps = { stored?: CloudsecCredential; etag?: string | undefined; onClose: () => void }

function CredentialForm({ stored, etag, onClose }: FormProps) {
  const [apiUrl, setApiUrl] = useState(stored?.apiUrl ?? '')
  const [tokenUrl, setTokenUrl] = useState(stored?.tokenUrl ?? '')
  const create = useChange('createCloudsecCredential', touched)
  const update = useChange('updateCloudsecCredential', touched)
  const fresh = useFresh('getCloudsecCredential')
  const moved = stored && (isOtherOrigin(stored.apiUrl, apiUrl) || isOtherOrigin(stored.tokenUrl, tokenUrl))
  return (
    <FormDialog
      title={stored ? `Edit ${stored.clientId}` : 'Add a credential'}
      action={stored ? 'Save' : 'Add'}
      onClose={onClose}
      {...(stored && {
        current: async () => {
          const { data, etag: now } = await fresh({ params: { id: Number(stored.id) } })
          const { clientId, apiUrl: api, tokenUrl: token } = data.cloudsecCredential
          return {
            etag: now,
            fields: [
              { name: 'clientId', label: 'Client id', value: clientId },
              { name: 'apiUrl', label: 'API address', value: api },
              { name: 'tokenUrl', label: 'Token address', value: token },
            ],
          }
        },
      })}
      etag={etag}
      run={async (form, ifMatch) => {
        const clientSecret = form.secret('clientSecret')
        const fields = { clientId: form.text('clientId'), apiUrl, tokenUrl }
        if (stored) {
          await update.mutateAsync({
            params: { id: Number(stored.id) },
            body: { ...fields, ...(clientSecret && { clientSecret }) },
            ifMatch,
          })
          update.reset()
        } else {
          await create.mutateAsync({ body: { ...fields, clientSecret } })
          create.reset()
        }
        say('Saved. Try it to see whether it works.', 'no undo')
      }}
    >
      {(about) => (
        <>
          <Input
            label="Client id"
            name="clientId"
            required
            maxLength={500}
            defaultValue={stored?.clientId}
            wrong={about('/clientId')}
          />
          <Input
            label={stored ? 'Client secret (leave empty to keep it)' : 'Client secret'}
            name="clientSecret"
            type="password"
            autoComplete="new-password"
            required={!stored || moved}
            hint={
              moved
                ? 'An address has another scheme, host or port. The stored secret is never sent to another place by itself: enter it again.'
                : undefined
            }
            wrong={about('/clientSecret')}
          />
          <Input
            label="Address of its API"
            name="apiUrl"
            type="url"
            required
            value={apiUrl}
            onChange={(event) => setApiUrl(event.target.value)}
            wrong={about('/apiUrl')}
          />
          <Input
            label="Address that gives tokens"
            name="tokenUrl"
            type="url"
            required
            value={tokenUrl}
            onChange={(event) => setTokenUrl(event.target.value)}
            wrong={about('/tokenUrl')}
          />
        </>
      )}
    </FormDialog>
  )
}

function DeleteDialog({ credential, onClose }: { credential: CloudsecCredential; onClose: () => void }) {
  const remove = useChange('deleteCloudsecCredential', touched)
  return (
    <Confirm
      title={`Delete ${credential.clientId}`}
      action={`Delete ${credential.clientId}`}
      onClose={onClose}
      run={() =>
        remove
          .mutateAsync({ params: { id: Number(credential.id) } })
          .then(() => say(`${credential.clientId} is deleted.`, 'no undo'))
      }
    >
      <p>Its secret is deleted too. Automations that use it can no longer send findings to the service.</p>
    </Confirm>
  )
}
