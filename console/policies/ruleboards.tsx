import { useState } from 'react'
import type { RuleboardType } from '../../src/capabilities/ruleboards/contract.ts'
import { useAsk, useChange } from '../api/ask.ts'
import { pathPart } from '../app/address/address.ts'
import { go } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input, Select } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { RepositoryChooser } from '../ui/forms/repository-chooser.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { OneRuleboard } from './ruleboard.tsx'
import { PolicyTabs } from './tabs.tsx'

const types: Record<RuleboardType, string> = {
  RULEBOARD_TYPE_SAST: 'Weaknesses in code',
  RULEBOARD_TYPE_SECRETS: 'Secrets',
}
const touched = ['listRuleboards', 'getRuleboard'] as const

export default function RuleboardsPage({ params }: { params: Record<string, string> }) {
  return params.slug ? <OneRuleboard slug={params.slug} /> : <All />
}

function All() {
  const write = useMay('ruleboards:write')
  const [adding, setAdding] = useState(false)
  return (
    <Page>
      <PageHead title="Ruleboards" about="Which rules scanners run on which repositories.">
        <Button look="primary" why={write.why} onClick={() => setAdding(true)}>
          New ruleboard
        </Button>
      </PageHead>
      <PolicyTabs current="ruleboards" />
      {(Object.keys(types) as RuleboardType[]).map((type) => (
        <Boards key={type} type={type} />
      ))}
      {adding && <NewDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

function Boards({ type }: { type: RuleboardType }) {
  const to = usePathTo()
  const asked = useAsk('listRuleboards', { query: { type } }, { keep: false })
  return (
    <Card title={types[type]}>
      <Part of={asked}>
        {({ ruleboards }) => (
          <Table
            label={types[type]}
            even
            rows={ruleboards}
            keyOf={(board) => board.slug}
            columns={[
              {
                label: 'Ruleboard',
                cell: (board) => (
                  <>
                    <Link to={to(`ruleboards/${pathPart(board.slug)}`)}>
                      <Foreign text={board.name} />
                    </Link>{' '}
                    {board.default && <Tag>default</Tag>}
                  </>
                ),
              },
              {
                label: 'Applies to',
                cell: (board) =>
                  board.default && board.assigned_repos.length === 0
                    ? 'every repository that no other board claims'
                    : plural(board.assigned_repos.length, 'repository', 'repositories'),
              },
            ]}
          />
        )}
      </Part>
    </Card>
  )
}

function NewDialog({ onClose }: { onClose: () => void }) {
  const to = usePathTo()
  const create = useChange('createRuleboard', touched)
  const [repositories, setRepositories] = useState<string[]>([])
  return (
    <FormDialog
      title="New ruleboard"
      action="Create"
      onClose={onClose}
      run={async (form) => {
        const type = form.text('type') as RuleboardType
        const board = await create.mutateAsync({
          body: { name: form.text('name'), type, assigned_repos: repositories },
        })
        say('Created.', 'no undo')
        go(to(`ruleboards/${pathPart(board.slug)}`))
      }}
    >
      {(about) => (
        <>
          <Input label="Name" name="name" required maxLength={200} wrong={about('/name')} autoFocus />
          <Select
            label="Its rules look for"
            name="type"
            choices={(Object.keys(types) as RuleboardType[]).map((value) => ({ value, label: types[value] }))}
          />
          <div className="field">
            <span className="label">Repositories</span>
            <div>
              <RepositoryChooser
                label="Repositories"
                by="name"
                many
                chosen={repositories}
                onChoose={setRepositories}
                empty="None yet"
              />
            </div>
          </div>
        </>
      )}
    </FormDialog>
  )
}
