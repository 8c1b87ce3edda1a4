import { useState } from 'react'
import { usePages } from '../../api/ask.ts'
import type { Answer } from '../../api/contracts.ts'
import { useMay } from '../../app/deployment.ts'
import { PersonName } from '../../app/former-people.tsx'
import { Button } from '../../ui/button.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { ClaimDialog, DeleteClaim } from './claim-dialogs.tsx'
import { RememberedNames } from './remembered-names.tsx'

export type Claim = Answer<'listPackageClaims'>['claims'][number]

/** Names that are the deployment's own: what people claimed, and what its registries were seen to have. */
export function PrivateNames() {
  return (
    <>
      <Claims />
      <RememberedNames />
    </>
  )
}

function Claims() {
  const { why } = useMay('firewall:write')
  const pages = usePages('listPackageClaims', { query: { pageSize: 100 } })
  const [making, setMaking] = useState(false)
  const [deleting, setDeleting] = useState<Claim>()
  const make = (
    <Button why={why} onClick={() => setMaking(true)}>
      Claim names…
    </Button>
  )
  return (
    <Card title="Claimed names" aside={make}>
      <Part of={pages}>
        {(data) => {
          const rows = data.pages.flatMap((page) => page.claims)
          if (rows.length === 0)
            return (
              <p className="muted">
                None yet. A stranger may publish a package by the name of one of yours. Claim a name, or the beginning
                of names such as <code>@company/*</code>, and only your registry is asked for it, or nobody.
              </p>
            )
          return (
            <Table
              label="Claimed names"
              rows={rows}
              keyOf={(row) => row.id}
              columns={[
                {
                  label: 'Names',
                  cell: (row) => (
                    <>
                      <Foreign text={row.pattern} mono /> <span className="muted">{row.ecosystem}</span>
                    </>
                  ),
                },
                { label: 'Asked of', cell: (row) => <AskedOf {...row} /> },
                { label: 'Why', cell: (row) => <Foreign text={row.reason} clamp={200} /> },
                {
                  label: 'Claimed',
                  cell: (row) => (
                    <>
                      <Ago at={row.createdAt} /> <PersonName name={row.createdByName} who={row.createdBy} />
                    </>
                  ),
                },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <Button
                      look="plain"
                      why={why}
                      aria-label={`Delete the claim of ${row.pattern}…`}
                      onClick={() => setDeleting(row)}
                    >
                      Delete…
                    </Button>
                  ),
                },
              ]}
            />
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More</Button>}
      {making && <ClaimDialog onClose={() => setMaking(false)} />}
      {deleting && <DeleteClaim claim={deleting} onClose={() => setDeleting(undefined)} />}
    </Card>
  )
}

function AskedOf({ registry, packageManagerConfigId }: Claim) {
  if (registry !== null) return <Foreign text={registry} mono />
  return (
    <Tag tone={packageManagerConfigId === null ? undefined : 'warn'}>
      {packageManagerConfigId === null ? 'nobody' : 'nobody: its registry is gone'}
    </Tag>
  )
}
