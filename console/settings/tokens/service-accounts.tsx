import { useState } from 'react'
import type { ServiceAccount } from '../../../src/capabilities/service-accounts/contract.ts'
import { useChange, usePages } from '../../api/ask.ts'
import { firstOf } from '../../app/address/address.ts'
import { goSearch, usePlace } from '../../app/address/location.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/forms/search-field.tsx'
import { Link } from '../../ui/link.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { matchesText } from '../words.ts'
import { tokenState } from './scopes.ts'
import { AccountPage } from './service-account.tsx'
import { AccountDialog } from './service-account-form.tsx'

export default function ServiceAccountsPage({ params }: { params: Record<string, string> }) {
  return params.id ? <AccountPage id={Number(params.id)} /> : <AccountList />
}

function AccountList() {
  const { pairs } = usePlace()
  const to = usePathTo()
  const write = useMay('service-accounts:write')
  const pages = usePages('listServiceAccounts', { query: { pageSize: 100 } })
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<ServiceAccount>()
  const remove = useChange('deleteServiceAccount', ['listServiceAccounts', 'listTokens'])
  const words = firstOf(pairs, 'q') ?? ''
  const all = pages.data?.pages.flatMap((page) => page.serviceAccounts) ?? []
  const rows = all.filter((each) => matchesText(words, each.name, each.description, each.role, ...each.scopes))
  return (
    <SettingsPage
      title="Service accounts"
      about="Accounts of programs. They have no password, belong to the deployment, and stay when the people who made them leave."
      actions={
        <Button look="primary" why={write.why} onClick={() => setAdding(true)}>
          New service account
        </Button>
      }
    >
      <Card title="Accounts" aside={pages.data && plural(rows.length, 'account')}>
        <SearchField label="Search name, purpose or scope" name="q" pairs={pairs} />
        <Part of={pages}>
          {() =>
            rows.length === 0 ? (
              <Empty title={all.length === 0 ? 'No service accounts yet' : 'No account matches'}>
                {all.length === 0 ? (
                  <p>
                    A token of a service account goes on working when somebody leaves. CI and scripts should use one.
                  </p>
                ) : (
                  <Button onClick={() => goSearch([])}>Show all {all.length}</Button>
                )}
              </Empty>
            ) : (
              <Table
                label="Service accounts"
                rows={rows}
                keyOf={(each) => each.id}
                columns={[
                  {
                    label: 'Name',
                    cell: (each) => (
                      <>
                        <Link to={to(`settings/service-accounts/${each.id}`)}>
                          <Foreign text={each.name} />
                        </Link>
                        <div className="muted small">
                          <Foreign text={each.description} />
                        </div>
                      </>
                    ),
                  },
                  { label: 'Role', cell: (each) => each.role },
                  {
                    label: 'Scopes',
                    cell: (each) =>
                      each.scopes.length === 0 ? 'all of its role' : plural(each.scopes.length, 'scope'),
                  },
                  { label: 'Tokens', cell: (each) => each.tokenCount },
                  { label: 'Next expires', cell: (each) => <NextExpiry at={each.nextExpiryAt} /> },
                  { label: 'Last used', cell: (each) => <Ago at={each.lastUsedAt} /> },
                  {
                    label: 'Actions',
                    quiet: true,
                    end: true,
                    cell: (each) => (
                      <Button
                        look="danger"
                        why={write.why}
                        aria-label={`Delete ${each.name}`}
                        onClick={() => setRemoving(each)}
                      >
                        Delete
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Part>
        {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More accounts</Button>}
      </Card>
      {adding && <AccountDialog onClose={() => setAdding(false)} />}
      {removing && (
        <Confirm
          title={`Delete ${removing.name}`}
          action={`Delete service account ${removing.name}`}
          onClose={() => setRemoving(undefined)}
          run={() =>
            remove
              .mutateAsync({ params: { serviceAccountId: removing.id } })
              .then(() => say(`${removing.name} is deleted.`, 'no undo'))
          }
        >
          <p>
            Its tokens ({removing.tokenCount}) stop working within a second. What it uploaded stays. This cannot be
            undone. Last used: <Ago at={removing.lastUsedAt} />.
          </p>
        </Confirm>
      )}
    </SettingsPage>
  )
}

function NextExpiry({ at }: { at: string | null }) {
  if (!at) return <span className="muted">no token</span>
  const soon = tokenState({ revokedAt: null, expiresAt: at }, Date.now()) === 'expires soon'
  return (
    <>
      <Ago at={at} /> {soon && <Tag tone="warn">expires soon</Tag>}
    </>
  )
}
