import type { OwnFactors } from '../../src/capabilities/factors/contract.ts'
import { Button } from '../ui/button.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago } from '../ui/text/marks.tsx'

type Passkey = OwnFactors['passkeys'][number]

export function PasskeyTable(props: { passkeys: readonly Passkey[]; onRemove: (passkey: Passkey) => void }) {
  return (
    <Table
      label="Your passkeys"
      rows={props.passkeys}
      keyOf={(row) => row.id}
      columns={[
        { label: 'Name', cell: (row) => <Foreign text={row.name} /> },
        { label: 'Kept by', cell: (row) => (row.backedUp ? 'Several devices' : 'One device') },
        { label: 'Made', cell: (row) => <Ago at={row.createdAt} /> },
        { label: 'Last used', cell: (row) => <Ago at={row.lastUsedAt} /> },
        {
          label: 'Actions',
          quiet: true,
          end: true,
          cell: (row) => (
            <Button look="danger" aria-label={`Remove ${row.name}`} onClick={() => props.onRemove(row)}>
              Remove
            </Button>
          ),
        },
      ]}
    />
  )
}
