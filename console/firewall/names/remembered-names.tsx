import { useState } from 'react'
import { useChange, usePages } from '../../api/ask.ts'
import type { Answer } from '../../api/contracts.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Textarea } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { Ago } from '../../ui/text/marks.tsx'

type Name = Answer<'listPackageNames'>['names'][number]

/** What registries of the deployment were seen to have: nobody else is asked for it, claimed or not. */
export function RememberedNames() {
  const { why } = useMay('firewall:write')
  const pages = usePages('listPackageNames', { query: { pageSize: 100 } })
  const [releasing, setReleasing] = useState<Name>()
  return (
    <Card title="Names that your registries were seen to have">
      <Part of={pages}>
        {(data) => {
          const rows = data.pages.flatMap((page) => page.names)
          if (rows.length === 0)
            return (
              <p className="muted">
                None yet. Once a client gets a package of one of your registries, only that registry is asked for it.
              </p>
            )
          return (
            <Table
              label="Names that your registries were seen to have"
              rows={rows}
              keyOf={(row) => row.id}
              columns={[
                {
                  label: 'Name',
                  cell: (row) => (
                    <>
                      <Foreign text={row.name} mono /> <span className="muted">{row.ecosystem}</span>
                    </>
                  ),
                },
                { label: 'Registry', cell: (row) => <Foreign text={row.registry} mono /> },
                { label: 'First seen', cell: (row) => <Ago at={row.seenAt} /> },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <Button
                      look="plain"
                      why={why}
                      aria-label={`Release ${row.name}…`}
                      onClick={() => setReleasing(row)}
                    >
                      Release…
                    </Button>
                  ),
                },
              ]}
            />
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More</Button>}
      {releasing && <ReleaseDialog released={releasing} onClose={() => setReleasing(undefined)} />}
    </Card>
  )
}

function ReleaseDialog({ released: { ecosystem, name, registry }, onClose }: { released: Name; onClose: () => void }) {
  const release = useChange('releasePackageNames', ['listPackageNames', 'getVerdict'])
  return (
    <FormDialog
      title={`Release ${plainly(name)}`}
      action="Release the name"
      onClose={onClose}
      run={async (form) => {
        await release.mutateAsync({ body: { ecosystem, name, reason: form.text('reason') } })
        say(`${name} is released, everywhere within ten seconds.`, 'no undo')
      }}
    >
      {(about) => (
        <>
          <p>
            Public registries may be asked for it again, until <Foreign text={registry} mono /> is seen to have it once
            more. A claim of the name stays.
          </p>
          <Textarea label="Why" name="reason" required maxLength={500} rows={2} wrong={about('/reason')} />
        </>
      )}
    </FormDialog>
  )
}
