import { useState } from 'react'
import type { SignInProvider } from '../../../src/capabilities/sign-in-providers/contract.ts'
import { useAsk, useChange } from '../../api/ask.ts'
import type { Answer } from '../../api/contracts.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { CopyLine } from '../../ui/text/copy-line.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { ProviderDialog } from './provider-form.tsx'

type Trial = Answer<'trySignInProvider'>

export default function SignInProvidersPage() {
  const write = useMay('sign-in-providers:write')
  const list = useAsk('listSignInProviders')
  const [open, setOpen] = useState<{ provider?: SignInProvider }>()
  const [removing, setRemoving] = useState<SignInProvider>()
  const [tried, setTried] = useState<{ provider: SignInProvider; trial?: Trial }>()
  const remove = useChange('deleteSignInProvider', ['listSignInProviders'])
  const attempt = useChange('trySignInProvider')
  const tryIt = async (provider: SignInProvider) => {
    setTried({ provider })
    const trial = await attempt.mutateAsync({ params: { providerId: provider.id } }).catch((error: Error) => {
      const check = { what: 'Request', passed: false, detail: error.message }
      return { works: false, checks: [check] }
    })
    setTried({ provider, trial })
  }
  return (
    <SettingsPage
      title="Sign-in providers"
      about="People sign in with the account that they have at their company. Groups there give roles and teams here."
      actions={
        <Button look="primary" why={write.why} onClick={() => setOpen({})}>
          New provider
        </Button>
      }
    >
      <Card title="Providers" aside={list.data && plural(list.data.providers.length, 'provider')}>
        <Part of={list}>
          {({ providers }) =>
            providers.length === 0 ? (
              <Empty title="Everybody signs in with a password">
                <p>Any provider that speaks OpenID Connect can be added: Entra ID, Okta, Keycloak, Google, GitLab.</p>
              </Empty>
            ) : (
              <Table
                label="Sign-in providers"
                rows={providers}
                keyOf={(provider) => provider.id}
                columns={[
                  {
                    label: 'Name',
                    cell: (provider) => (
                      <>
                        <Foreign text={provider.name} />
                        <div className="muted small mono">
                          <Foreign text={provider.issuer} />
                        </div>
                      </>
                    ),
                  },
                  { label: 'Domains', cell: (provider) => <Foreign text={provider.domains.join(', ')} /> },
                  { label: 'Reach', cell: reachOf },
                  { label: 'Last sign-in', cell: (provider) => <Ago at={provider.lastUsedAt} /> },
                  {
                    label: 'Actions',
                    quiet: true,
                    end: true,
                    cell: (provider) => (
                      <div className="row tight">
                        <Button
                          why={write.why}
                          aria-label={`Try ${provider.name}`}
                          onClick={() => void tryIt(provider)}
                        >
                          Try
                        </Button>
                        <Button
                          why={write.why}
                          aria-label={`Change ${provider.name}`}
                          onClick={() => setOpen({ provider })}
                        >
                          Change
                        </Button>
                        <Button
                          look="danger"
                          why={write.why}
                          aria-label={`Remove ${provider.name}`}
                          onClick={() => setRemoving(provider)}
                        >
                          Remove
                        </Button>
                      </div>
                    ),
                  },
                ]}
              />
            )
          }
        </Part>
      </Card>
      {open && <ProviderDialog {...open} onClose={() => setOpen(undefined)} />}
      {tried && (
        <Dialog title={`Trying ${tried.provider.name}`} onClose={() => setTried(undefined)}>
          <CopyLine label="Redirect URI, to be entered at the provider" text={tried.provider.redirectUri} />
          <CopyLine label="Back-channel logout URI" text={tried.provider.backChannelLogoutUri} />
          <div role="status" className="stack tight">
            {!tried.trial && <p className="muted">It is being asked…</p>}
            {tried.trial?.checks.map(({ what, passed, detail }) => (
              <p key={what}>
                <strong>
                  {what}: {passed ? 'passed.' : 'failed.'}
                </strong>{' '}
                <Foreign text={detail} />
              </p>
            ))}
            {tried.trial?.works && <p>Now sign in through it in a private window.</p>}
          </div>
        </Dialog>
      )}
      {removing && (
        <Confirm
          title={`Remove ${removing.name}`}
          action={`Remove provider ${removing.name}`}
          onClose={() => setRemoving(undefined)}
          run={() =>
            remove
              .mutateAsync({ params: { providerId: removing.id } })
              .then(() => say(`${removing.name} is removed.`, 'no undo'))
          }
        >
          <p>
            Sessions that began at it end within a second. Accounts stay; those without a password need a reset link.
          </p>
        </Confirm>
      )}
    </SettingsPage>
  )
}

function reachOf({ enforced, instanceWide }: SignInProvider): string {
  const reach = instanceWide ? 'Whole instance' : 'This deployment'
  return enforced ? `${reach}, only single sign-on` : reach
}
