import { useState } from 'react'
import { useChange, usePages } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { Count } from './columns.tsx'

type Branch = Answer<'listBranches'>['branches'][number]

export function BranchesTab({ repositoryId, repository }: { repositoryId: number; repository: string }) {
  const { why } = useMay('scans:write')
  const pages = usePages('listBranches', { query: { repositoryId, pageSize: 100 } })
  const [ending, setEnding] = useState<Branch>()
  return (
    <Card title="Branches that were scanned for findings">
      <Part of={pages}>
        {(data) => {
          const all = data.pages.flatMap((page) => page.branches)
          if (all.length === 0) return <p className="muted">No scan of a branch yet.</p>
          return (
            <Table
              label="Branches"
              rows={all}
              keyOf={(each) => each.ref}
              columns={[
                {
                  label: 'Branch',
                  cell: (each) => (
                    <span className="row tight">
                      <Foreign text={each.ref} mono /> {each.isDefault && <Tag>Default</Tag>}{' '}
                      {each.over && <Tag>Over</Tag>}
                    </span>
                  ),
                },
                {
                  label: 'Open findings',
                  end: true,
                  cell: (each) => (
                    <Count
                      value={each.openFindings}
                      path="findings"
                      pairs={[
                        ['repo', repository],
                        ['branch', each.ref],
                        ['prs', 'none'],
                      ]}
                      label={`open findings on ${plainly(each.ref)}`}
                    />
                  ),
                },
                { label: 'Last scan', cell: (each) => <Ago at={each.lastScanAt} /> },
                {
                  label: 'Actions',
                  end: true,
                  cell: (each) =>
                    !each.isDefault &&
                    !each.over && (
                      <Button why={why} aria-label={`End ${plainly(each.ref)}`} onClick={() => setEnding(each)}>
                        End
                      </Button>
                    ),
                },
              ]}
            />
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older ones</Button>}
      {ending && <EndDialog repository={repository} branch={ending} onClose={() => setEnding(undefined)} />}
    </Card>
  )
}

function EndDialog({ repository, branch, onClose }: { repository: string; branch: Branch; onClose: () => void }) {
  const end = useChange('endBranch', ['listBranches', 'searchFindings', 'countFindings', 'searchRepositories'])
  return (
    <Confirm
      title="End a branch"
      action={`End ${branch.ref}`}
      onClose={onClose}
      run={async () => {
        const { endedFindings } = await end.mutateAsync({ body: { repository, ref: branch.ref } })
        say(`${branch.ref} is over, with ${plural(endedFindings, 'finding')}.`, 'no undo')
      }}
    >
      <p>
        For a branch that was deleted or renamed. What stands on it leaves the open counts; what was decided stays, and
        holds on other branches. Another scan of the branch opens it again.
      </p>
    </Confirm>
  )
}
