import { useState } from 'react'
import type { OwnSession } from '../../src/capabilities/sessions/own/own-contract.ts'
import { usePlainAsk, usePlainChange } from '../api/ask.ts'
import { Button } from '../ui/button.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'

const kinds = { browser: 'Browser', token: 'Program, or the API' }

/** Where one is signed in. */
export function SessionsCard() {
  const asked = usePlainAsk('listOwnSessions')
  const end = usePlainChange('endOwnSession', ['listOwnSessions'])
  const [ending, setEnding] = useState<OwnSession>()
  return (
    <Card title="Sessions" aside="where you are signed in">
      <Part of={asked}>
        {({ sessions }) => (
          <Table
            label="Your sessions"
            rows={sessions}
            keyOf={(row) => row.id}
            columns={[
              {
                label: 'Held by',
                cell: (row) => (
                  <span className="row tight">
                    {kinds[row.kind]} {row.current && <Tag tone="ok">this one</Tag>}
                  </span>
                ),
              },
              { label: 'From', cell: (row) => <span className="mono">{row.network}</span> },
              { label: 'Opened', cell: (row) => <Ago at={row.createdAt} /> },
              { label: 'Last used', cell: (row) => <Ago at={row.lastUsedAt} /> },
              {
                label: 'Actions',
                quiet: true,
                end: true,
                cell: (row) =>
                  !row.current && (
                    <Button look="danger" onClick={() => setEnding(row)}>
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Part>
      <p className="muted">Changing the password ends all your other sessions, everywhere, within a second.</p>
      {ending && (
        <Confirm
          title="End a session"
          action={`End the session from ${ending.network}`}
          onClose={() => setEnding(undefined)}
          run={() =>
            end.mutateAsync({ params: { sessionId: ending.id } }).then(() => say('The session has ended.', 'no undo'))
          }
        >
          <p>Whoever holds it is signed out within a second. Last used: {<Ago at={ending.lastUsedAt} />}.</p>
        </Confirm>
      )}
    </Card>
  )
}
