import { useState } from 'react'
import type { CiTrust } from '../../../src/capabilities/ci-trusts/contract.ts'
import { useChange, usePages } from '../../api/ask.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Link } from '../../ui/link.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { CiTrustDialog } from './ci-trust-form.tsx'

export default function CiTrustsPage() {
  const to = usePathTo()
  const write = useMay('service-accounts:write')
  const pages = usePages('listCiTrusts', { query: { pageSize: 100 } })
  const accounts = usePages('listServiceAccounts', { query: { pageSize: 100 } })
  const [open, setOpen] = useState<{ trust?: CiTrust }>()
  const [removing, setRemoving] = useState<CiTrust>()
  const remove = useChange('deleteCiTrust', ['listCiTrusts'])
  const rows = pages.data?.pages.flatMap((page) => page.trusts) ?? []
  const known = accounts.data?.pages.flatMap((page) => page.serviceAccounts) ?? []
  const nameOf = (id: number) => known.find((each) => each.id === id)?.name ?? `service account ${id}`
  return (
    <SettingsPage
      title="CI trusts"
      about="Jobs of a CI system that you trust get a token of 15 minutes for their own repository. No secret is stored there."
      actions={
        <Button
          look="primary"
          why={write.why ?? (known.length === 0 ? 'Make a service account first: jobs act as it.' : undefined)}
          onClick={() => setOpen({})}
        >
          New trust
        </Button>
      }
    >
      <Card title="Trusts" aside={pages.data && plural(rows.length, 'trust')}>
        <Part of={pages}>
          {() =>
            rows.length === 0 ? (
              <Empty title="No CI system is trusted">
                <p>GitHub Actions, GitLab and others sign who a job is. With a trust that is all a job needs.</p>
                {accounts.data && known.length === 0 && (
                  <p>
                    Jobs act as a service account: <Link to={to('settings/service-accounts')}>make one first</Link>.
                  </p>
                )}
              </Empty>
            ) : (
              <Table
                label="CI trusts"
                rows={rows}
                keyOf={(trust) => trust.id}
                columns={[
                  {
                    label: 'Name',
                    cell: (trust) => (
                      <>
                        <Foreign text={trust.name} />
                        <div className="muted small mono">
                          <Foreign text={trust.issuer.replace(/^https:\/\//, '')} />
                        </div>
                      </>
                    ),
                  },
                  {
                    label: 'Conditions',
                    cell: (trust) =>
                      trust.conditions.map(({ claim, values }) => (
                        <div key={claim} className="small mono">
                          <Foreign text={`${claim} = ${values.join(' or ')}`} />
                        </div>
                      )),
                  },
                  { label: 'Acts as', cell: (trust) => <Foreign text={nameOf(trust.serviceAccountId)} /> },
                  { label: 'May', cell: (trust) => <span className="small">{trust.permissions.join(', ')}</span> },
                  { label: 'Last used', cell: (trust) => <Ago at={trust.lastUsedAt} /> },
                  {
                    label: 'Actions',
                    quiet: true,
                    end: true,
                    cell: (trust) => (
                      <div className="row tight">
                        <Button why={write.why} aria-label={`Change ${trust.name}`} onClick={() => setOpen({ trust })}>
                          Change
                        </Button>
                        <Button
                          look="danger"
                          why={write.why}
                          aria-label={`Delete ${trust.name}`}
                          onClick={() => setRemoving(trust)}
                        >
                          Delete
                        </Button>
                      </div>
                    ),
                  },
                ]}
              />
            )
          }
        </Part>
        {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More trusts</Button>}
      </Card>
      {open && (
        <CiTrustDialog accounts={known} {...(open.trust && { trust: open.trust })} onClose={() => setOpen(undefined)} />
      )}
      {removing && (
        <Confirm
          title={`Delete ${removing.name}`}
          action={`Delete trust ${removing.name}`}
          onClose={() => setRemoving(undefined)}
          run={() =>
            remove
              .mutateAsync({ params: { trustId: removing.id } })
              .then(() => say(`${removing.name} is deleted.`, 'no undo'))
          }
        >
          <p>
            Jobs that came by it are refused within a second. Last used: <Ago at={removing.lastUsedAt} />.
          </p>
        </Confirm>
      )}
    </SettingsPage>
  )
}
