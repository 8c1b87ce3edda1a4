import { useState } from 'react'
import type { Memory, StageName } from '../../src/capabilities/memories/memory.ts'
import { useChange, usePages } from '../api/ask.ts'
import { firstOf } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Page, PageHead, Tabs } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { MemoryDialog } from './form.tsx'
import { OneMemory } from './memory.tsx'
import { useTagName } from './tag-names.ts'
import { scopeSentence } from './words.ts'

const stages = { suggested: 'Suggested', live: 'Live', deleted: 'Deleted' } as const
type Stage = keyof typeof stages
const wireOf = (stage: Stage) => `AI_MEMORY_STAGE_${stage.toUpperCase()}` as StageName

export default function MemoriesPage({ params }: { params: Record<string, string> }) {
  return params.id ? <OneMemory id={Number(params.id)} /> : <All />
}

function All() {
  const to = usePathTo()
  const { pairs } = usePlace()
  const given = firstOf(pairs, 'stage')
  const stage: Stage = given && given in stages ? (given as Stage) : 'suggested'
  const write = useMay('memories:write')
  const [adding, setAdding] = useState(false)
  const suggest = useChange('suggestMemories', ['browseMemories'])
  const look = () =>
    suggest.mutate(
      { body: {} },
      {
        onSuccess: ({ memories }) =>
          say(`${plural(memories.length, 'suggestion')} ${memories.length === 1 ? 'waits' : 'wait'}.`),
        onError: (problem) => sayFailure(`Not done: ${problem.message}`),
      },
    )
  return (
    <Page>
      <PageHead
        title="Memories"
        about="What people have said once, so that nobody has to decide it again. Suggestions do nothing before they are promoted."
      >
        <Button why={write.why ?? (suggest.isPending ? 'Being looked for' : undefined)} onClick={look}>
          Look for suggestions
        </Button>
        <Button look="primary" why={write.why} onClick={() => setAdding(true)}>
          New memory
        </Button>
      </PageHead>
      <Tabs
        label="Stages"
        tabs={(Object.keys(stages) as Stage[]).map((each) => ({
          to: to(`memories${each === 'suggested' ? '' : `?stage=${each}`}`),
          label: stages[each],
          current: each === stage,
        }))}
      />
      <Stages key={stage} stage={stage} />
      {adding && <MemoryDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

function Stages({ stage }: { stage: Stage }) {
  const to = usePathTo()
  const tagName = useTagName()
  const pages = usePages('browseMemories', { query: { stage: wireOf(stage), pageSize: 100 } })
  const rows = pages.data?.pages.flatMap((page) => page.memories) ?? []
  return (
    <Part of={pages}>
      {() =>
        rows.length === 0 ? (
          <Nothing stage={stage} />
        ) : (
          <>
            <div className="card">
              <Table
                label={`${stages[stage]} memories`}
                rows={rows}
                keyOf={(row) => row.id}
                columns={[
                  {
                    label: 'What is remembered',
                    cell: (row) => (
                      <>
                        <Link to={to(`memories/${row.id}`)}>
                          <Foreign text={row.content.length > 240 ? `${row.content.slice(0, 239)}…` : row.content} />
                        </Link>
                        <div className="small muted">
                          <Foreign text={scopeSentence(row, tagName)} clamp={240} />
                        </div>
                      </>
                    ),
                  },
                  { label: 'From', cell: (row) => <From memory={row} /> },
                  { label: 'Since', cell: (row) => <Ago at={row.createdAt} /> },
                ]}
              />
            </div>
            {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More memories</Button>}
          </>
        )
      }
    </Part>
  )
}

function From({ memory }: { memory: Memory }) {
  const { sources } = memory.suggestionSources
  if (memory.createdBy) return <PersonName name={memory.createdBy} who={{ email: memory.createdBy }} />
  return (
    <span className="muted">{sources.length > 0 ? plural(sources.length, 'decision') : 'somebody who has left'}</span>
  )
}

function Nothing({ stage }: { stage: Stage }) {
  if (stage === 'suggested')
    return (
      <Empty title="Nothing is suggested">
        <p>
          Where at least two people ignore findings of one rule in one folder for one reason, a memory is suggested.
        </p>
      </Empty>
    )
  return (
    <Empty title={stage === 'live' ? 'No live memories' : 'No deleted memories'}>
      <p>
        {stage === 'live'
          ? 'A live memory for triage ignores the findings it covers, provisionally, and says so in their history.'
          : 'A deleted memory stays readable, because the history of findings may name it.'}
      </p>
    </Empty>
  )
}
