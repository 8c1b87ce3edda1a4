import { useState } from 'react'
import { useAsk } from '../../api/ask.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { ShownOnce } from '../../ui/overlays/shown-once.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { NewTokenDialog } from './new-token.tsx'
import { AccountDialog } from './service-account-form.tsx'
import { tokenColumns, useRevoking } from './token-columns.tsx'

/** One service account: what it may do, and its tokens with who made them. */
export function AccountPage({ id }: { id: number }) {
  const to = usePathTo()
  const write = useMay('service-accounts:write')
  const accounts = useAsk('listServiceAccounts', { query: { cursor: id - 1, pageSize: 1 } }, { keep: false })
  const tokens = useAsk('listServiceAccountTokens', { params: { serviceAccountId: id } })
  const people = useAsk('listPeople')
  const former = useAsk('listFormerPeople')
  const [open, setOpen] = useState<'token' | 'change'>()
  const [secret, setSecret] = useState<string>()
  const revoking = useRevoking(['listServiceAccountTokens', 'listServiceAccounts', 'listTokens'])
  const account = accounts.data?.serviceAccounts.find((each) => each.id === id)
  const nameOf = (personId: number) => {
    const present = people.data?.people.find((person) => person.id === personId)
    const gone = former.data?.people.find((person) => person.id === personId)
    return present?.name ?? (gone?.isBack ? gone.name : `${gone?.name ?? `person ${personId}`} (left)`)
  }
  const now = Date.now()
  return (
    <SettingsPage
      title={account?.name ?? 'Service account'}
      about={
        account && `${account.description || 'No purpose was written down.'} · made by ${nameOf(account.createdBy)}`
      }
      back={{ to: to('settings/service-accounts'), label: 'Service accounts' }}
      actions={
        account && (
          <>
            <Button why={write.why} onClick={() => setOpen('change')}>
              Change
            </Button>
            <Button look="primary" why={write.why} onClick={() => setOpen('token')}>
              New token
            </Button>
          </>
        )
      }
    >
      <Card title="What it may do">
        <Part of={accounts} lines={1}>
          {() =>
            account ? (
              <p>
                Role {account.role}. {account.scopes.length ? account.scopes.join(', ') : 'All that the role may do.'}
              </p>
            ) : (
              <p className="muted">There is no service account {id}.</p>
            )
          }
        </Part>
      </Card>
      <Card title="Tokens" aside={tokens.data && plural(tokens.data.tokens.length, 'token')}>
        <Part of={tokens}>
          {({ tokens: rows }) =>
            rows.length === 0 ? (
              <Empty title="No tokens yet">
                <p>A program signs in with a token. Tokens made here go on working when you leave.</p>
              </Empty>
            ) : (
              <Table
                label="Tokens of the account"
                rows={rows}
                keyOf={(token) => token.id}
                columns={tokenColumns({
                  now,
                  why: write.why,
                  onRevoke: revoking.ask,
                  more: [{ label: 'Made by', cell: (token) => <Foreign text={nameOf(token.madeBy)} /> }],
                })}
              />
            )
          }
        </Part>
      </Card>
      {account && open === 'token' && (
        <NewTokenDialog account={account} onClose={() => setOpen(undefined)} onMade={setSecret} />
      )}
      {account && open === 'change' && <AccountDialog account={account} onClose={() => setOpen(undefined)} />}
      {secret && (
        <ShownOnce title="The new token" secret={secret} label="the token" onClose={() => setSecret(undefined)}>
          <p className="muted">
            Put it where the program reads it, for example as the secret <code>GATEHOUSE_TOKEN</code> of your CI.
          </p>
        </ShownOnce>
      )}
      {revoking.dialog}
    </SettingsPage>
  )
}
