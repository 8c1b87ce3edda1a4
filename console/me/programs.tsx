import { useState } from 'react'
import { usePlainAsk, usePlainChange } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { type Deployment, useSessionState } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Exact } from '../ui/text/marks.tsx'

type Program = Answer<'listConnectedPrograms'>['programs'][number]

/** Programs that act in one's name, and ending what one does not recognise. */
export function ProgramsCard() {
  const { deployments } = useSessionState().session!
  const listed = deployments.filter(({ permissions }) => permissions.includes('tokens:read'))
  if (listed.length === 0) return null
  return (
    <Card title="Connected programs" aside="agents that work in your name">
      {listed.map((deployment) => (
        <ProgramsIn key={deployment.id} deployment={deployment} alone={listed.length === 1} />
      ))}
    </Card>
  )
}

function ProgramsIn({ deployment, alone }: { deployment: Deployment; alone: boolean }) {
  const { person } = useSessionState().session!
  const asked = usePlainAsk('listConnectedPrograms', { params: { deploymentId: deployment.id } })
  const end = usePlainChange('revokeToken', ['listConnectedPrograms'])
  const [ending, setEnding] = useState<Program>()
  return (
    <>
      {!alone && <h3>{deployment.name}</h3>}
      <Part of={asked}>
        {({ programs }) => {
          // Owners and admins are told of everybody's; this page is about one's own.
          const own = programs.filter(({ personId }) => personId === person.id)
          if (own.length === 0) return <p className="muted">None.</p>
          return (
            <Table
              label={`Your connected programs in ${deployment.name}`}
              rows={own}
              keyOf={(row) => row.tokenId}
              columns={[
                { label: 'Program', cell: (row) => <Foreign text={row.name} /> },
                { label: 'Access went to', cell: (row) => <span className="mono">{row.host}</span> },
                { label: 'May', cell: (row) => row.scopes.join(', ') },
                { label: 'Last used', cell: (row) => (row.lastUsedAt ? <Ago at={row.lastUsedAt} /> : 'never') },
                { label: 'Ends', cell: (row) => <Exact at={row.expiresAt} /> },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <Button look="danger" onClick={() => setEnding(row)}>
                      End
                    </Button>
                  ),
                },
              ]}
            />
          )
        }}
      </Part>
      {ending && (
        <Confirm
          title="End a connection"
          action={`End the connection of ${ending.name}`}
          onClose={() => setEnding(undefined)}
          run={() =>
            end
              .mutateAsync({ params: { deploymentId: deployment.id, tokenId: ending.tokenId } })
              .then(() => say('The program is no longer connected.', 'no undo'))
          }
        >
          <p>It is shut out within a second. It can ask you again.</p>
        </Confirm>
      )}
    </>
  )
}
