import { useState } from 'react'
import type { Provisioning } from '../../../src/capabilities/provisioning/contract.ts'
import type { Token } from '../../../src/capabilities/tokens/contract.ts'
import { useAllTeams, useChange, useTagged } from '../../api/ask.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { ShownOnce } from '../../ui/overlays/shown-once.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { CopyLine } from '../../ui/text/copy-line.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { SettingsPage } from '../frame.tsx'
import { tokenState } from '../tokens/scopes.ts'
import { ProvisionedGroups, ProvisionedPeople, ProvisioningRequests } from './provisioned.tsx'
import { ProvisioningDialog } from './provisioning-form.tsx'
import { writeRules } from './rules.ts'

export default function ProvisioningPage() {
  const write = useMay('provisioning:write')
  const asked = useTagged('getProvisioning')
  const { teams } = useAllTeams()
  const update = useChange('updateProvisioning', ['getProvisioning'])
  const [open, setOpen] = useState<'rules' | 'off'>()
  const turn = (enabled: boolean) => update.mutateAsync({ body: { enabled } })
  return (
    <SettingsPage
      title="Provisioning"
      about="The directory of your company (Entra ID, Okta and others) adds, changes and suspends people here, by SCIM 2.0."
    >
      <Part of={asked}>
        {({ data: { provisioning }, etag }) => (
          <>
            <Card title="Connection" aside={provisioning.enabled ? <Tag tone="ok">on</Tag> : <Tag>off</Tag>}>
              {provisioning.enabled ? (
                <>
                  <CopyLine text={provisioning.baseUrl} label="the address for the directory" />
                  <p className="muted">
                    Last request: <Ago at={provisioning.lastRequestAt} />
                  </p>
                  <div>
                    <Button look="danger" why={write.why} onClick={() => setOpen('off')}>
                      Turn off
                    </Button>
                  </div>
                </>
              ) : (
                <>
                  <p>While it is off, every request of a directory is refused. What it provisioned stays.</p>
                  <div>
                    <Button
                      look="primary"
                      why={write.why}
                      onClick={() =>
                        void turn(true).then(
                          () => say('Provisioning is on. Make a token for the directory next.', 'no undo'),
                          (problem) => sayFailure(`Not done: ${problem.message}`),
                        )
                      }
                    >
                      Turn on
                    </Button>
                  </div>
                </>
              )}
            </Card>
            <Tokens provisioning={provisioning} />
            <Card title="Roles and teams">
              <p>
                New people are <strong>{provisioning.defaultRole}</strong>.
              </p>
              {provisioning.rules.length > 0 && (
                <pre className="small wrap">
                  <Foreign text={writeRules(provisioning.rules, teams)} />
                </pre>
              )}
              <div>
                <Button why={write.why} onClick={() => setOpen('rules')}>
                  Change roles and teams
                </Button>
              </div>
            </Card>
            <ProvisionedPeople total={provisioning.users} />
            <ProvisionedGroups total={provisioning.groups} />
            <ProvisioningRequests />
            {open === 'rules' && (
              <ProvisioningDialog
                provisioning={provisioning}
                etag={etag}
                teams={teams}
                onClose={() => setOpen(undefined)}
              />
            )}
          </>
        )}
      </Part>
      {open === 'off' && (
        <Confirm
          title="Turn provisioning off"
          action="Turn off provisioning"
          onClose={() => setOpen(undefined)}
          run={() => turn(false).then(() => say('Provisioning is off.', 'no undo'))}
        >
          <p>The directory is refused from now on. Who leaves the company then has to be removed by hand.</p>
        </Confirm>
      )}
    </SettingsPage>
  )
}

/** The tokens of the directory; a new one is shown once. */
function Tokens({ provisioning: { tokens, enabled } }: { provisioning: Provisioning }) {
  const may = useMay('provisioning:sync')
  const mayRevoke = useMay('tokens:write')
  const create = useChange('createProvisioningToken', ['getProvisioning', 'listTokens'])
  const revoke = useChange('revokeToken', ['getProvisioning', 'listTokens'])
  const [secret, setSecret] = useState<string>()
  const [revoking, setRevoking] = useState<Token>()
  const now = Date.now()
  const make = () =>
    create.mutateAsync({ body: {} }).then(
      (made) => setSecret(made.secret),
      (problem) => sayFailure(`No token was made: ${problem.message}`),
    )
  return (
    <Card
      title="Tokens of the directory"
      aside={
        <Button why={may.why ?? (enabled ? undefined : 'Turn provisioning on first.')} onClick={() => void make()}>
          New token
        </Button>
      }
    >
      {tokens.length === 0 ? (
        <p className="muted">There is none. It can do nothing but provision people and groups, for a year.</p>
      ) : (
        <Table
          label="Tokens of the directory"
          rows={tokens}
          keyOf={(token) => token.id}
          columns={[
            { label: 'Token', cell: (token) => <code>{token.hint}</code> },
            { label: 'State', cell: (token) => <Tag>{tokenState(token, now)}</Tag> },
            { label: 'Expires', cell: (token) => <Ago at={token.expiresAt} /> },
            { label: 'Last used', cell: (token) => <Ago at={token.lastUsedAt} /> },
            {
              label: 'Actions',
              quiet: true,
              end: true,
              cell: (token) =>
                token.revokedAt === null && (
                  <Button
                    look="danger"
                    why={mayRevoke.why}
                    aria-label={`Revoke ${token.hint}`}
                    onClick={() => setRevoking(token)}
                  >
                    Revoke
                  </Button>
                ),
            },
          ]}
        />
      )}
      {secret && (
        <ShownOnce
          title="The token of the directory"
          secret={secret}
          label="the token"
          onClose={() => setSecret(undefined)}
        >
          <p>Enter it in your directory as the secret token (Entra ID) or the bearer token (Okta).</p>
        </ShownOnce>
      )}
      {revoking && (
        <Confirm
          title={`Revoke ${revoking.hint}`}
          action="Revoke the token"
          onClose={() => setRevoking(undefined)}
          run={() =>
            revoke.mutateAsync({ params: { tokenId: revoking.id } }).then(() => say('The token is revoked.', 'no undo'))
          }
        >
          <p>A directory that uses it is refused within a second.</p>
        </Confirm>
      )}
    </Card>
  )
}
