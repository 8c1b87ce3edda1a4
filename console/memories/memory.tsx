import { useState } from 'react'
import type { Memory } from '../../src/capabilities/memories/memory.ts'
import { useChange, useFresh, useTagged } from '../api/ask.ts'
import type { OperationId } from '../api/contracts.ts'
import { pathPart } from '../app/address/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { ErrorBox, Part } from '../ui/states.tsx'
import { Foreign, ForeignLink } from '../ui/text/foreign.tsx'
import { Ago, Exact, Tag } from '../ui/text/marks.tsx'
import { list } from '../ui/text/words.ts'
import { MemoryDialog } from './form.tsx'
import { useTagName } from './tag-names.ts'
import { contexts, replaySentence, scopeSentence } from './words.ts'

/** What a memory changes: itself, and every finding it covers. */
const touched: OperationId[] = ['browseMemories', 'getMemory', 'searchFindings', 'countFindings', 'getFinding']

const stageOf = {
  AI_MEMORY_STAGE_SUGGESTED: ['suggested', 'warn'],
  AI_MEMORY_STAGE_LIVE: ['live', 'ok'],
  AI_MEMORY_STAGE_DELETED: ['deleted', undefined],
} as const

export function OneMemory({ id }: { id: number }) {
  const to = usePathTo()
  const asked = useTagged('getMemory', { params: { memoryId: id } })
  const write = useMay('memories:write')
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const memory = asked.data?.data.memory
  const close = () => setOpen(undefined)
  const gone = memory?.stage === 'AI_MEMORY_STAGE_DELETED'
  const stage = memory && stageOf[memory.stage]
  return (
    <Page narrow>
      <PageHead
        title="Memory"
        back={{
          to: to(`memories${stage && stage[0] !== 'suggested' ? `?stage=${stage[0]}` : ''}`),
          label: 'Memories',
        }}
        about={stage && <Tag tone={stage[1]}>{stage[0]}</Tag>}
      >
        {memory && !gone && (
          <>
            <Button why={write.why} onClick={() => setOpen('edit')}>
              Edit
            </Button>
            <Button look="danger" why={write.why} onClick={() => setOpen('delete')}>
              {memory.stage === 'AI_MEMORY_STAGE_SUGGESTED' ? 'Decline…' : 'Delete…'}
            </Button>
          </>
        )}
      </PageHead>
      <Part of={asked}>
        {({ data, etag }) => (
          <>
            <About memory={data.memory} />
            {data.memory.stage === 'AI_MEMORY_STAGE_SUGGESTED' && (
              <Replay memory={data.memory} etag={etag} why={write.why} />
            )}
            <Sources memory={data.memory} />
            {open === 'edit' && (
              <MemoryDialog
                memory={data.memory}
                etag={etag}
                onClose={close}
                onReload={async () => (await asked.refetch()).data}
              />
            )}
            {open === 'delete' && <DeleteDialog memory={data.memory} etag={etag} onClose={close} />}
          </>
        )}
      </Part>
    </Page>
  )
}

function About({ memory }: { memory: Memory }) {
  const tagName = useTagName()
  return (
    <Card title="What is remembered">
      <p className="text-block">
        <Foreign text={memory.content} clamp={2_000} />
      </p>
      <dl className="facts">
        <dt>About</dt>
        <dd>
          <Foreign text={scopeSentence(memory, tagName)} />
        </dd>
        <dt>Good for</dt>
        <dd>{list(memory.context.map((each) => contexts[each].split(':')[0]!.toLowerCase()))}</dd>
        {memory.ruleName && (
          <>
            <dt>Rule</dt>
            <dd>
              <Foreign text={memory.ruleName} />
            </dd>
          </>
        )}
        <dt>Made</dt>
        <dd>
          <Exact at={memory.createdAt} />{' '}
          {memory.createdBy && (
            <>
              by <PersonName name={memory.createdBy} who={{ email: memory.createdBy }} />
            </>
          )}
        </dd>
      </dl>
    </Card>
  )
}

/** First what it would do, then the button that does just that. */
function Replay({ memory, etag, why }: { memory: Memory; etag: string | undefined; why: string | undefined }) {
  const replay = useChange('preanalyzeMemory', ['browseMemories'])
  const promote = useChange('promoteMemory', touched)
  const params = { memoryId: Number(memory.id) }
  const counts = replay.data?.memory.preanalysisCounts
  return (
    <Card title="What promoting it would do">
      {counts ? (
        <p role="status">{replaySentence(counts)}</p>
      ) : (
        <p className="muted">Replay it over the findings in its scope. That changes nothing.</p>
      )}
      {replay.error && <ErrorBox problem={replay.error} />}
      {promote.error && (
        <>
          <ErrorBox problem={promote.error} />
          {promote.error.status === 409 && <p className="muted">Findings have changed meanwhile. Replay it again.</p>}
        </>
      )}
      <div className="row">
        <Button
          look={counts ? undefined : 'primary'}
          why={why ?? (replay.isPending ? 'In progress' : undefined)}
          onClick={() => {
            promote.reset()
            replay.mutate({ params })
          }}
        >
          {counts ? 'Replay again' : 'Replay'}
        </Button>
        {counts && (
          <Button
            look="primary"
            why={why ?? (promote.isPending ? 'In progress' : undefined)}
            onClick={() =>
              // The card may be gone by then, and with it what the change itself would call.
              void promote.mutateAsync({ params, body: { preanalysisCounts: counts }, ifMatch: etag }).then(
                () => say('It is live. Deleting it puts the findings back as they were.', 'no undo'),
                () => undefined,
              )
            }
          >
            Promote: ignore {Number(counts.newlyFalsePositive).toLocaleString('en')}
          </Button>
        )}
      </div>
    </Card>
  )
}

function Sources({ memory }: { memory: Memory }) {
  const to = usePathTo()
  const { sources } = memory.suggestionSources
  if (sources.length === 0) return null
  return (
    <Card title="Where it comes from">
      <ol className="timeline">
        {sources.map((source) => (
          <li key={source.createdBy + source.createdAt + source.sampleIssueId}>
            <div>
              <PersonName name={source.createdBy} who={{ email: source.createdBy }} otherwise="Somebody" />{' '}
              <span className="muted">
                · <Ago at={source.createdAt} />
              </span>
              {source.note && (
                <p>
                  <Foreign text={source.note} clamp={400} />
                </p>
              )}
              <p className="small row">
                {source.sampleIssueId && (
                  <Link to={to(`findings/${pathPart(source.sampleIssueId)}?state=any`)}>
                    the finding #{source.sampleIssueId}
                  </Link>
                )}
                {source.prCommentUrl && <ForeignLink address={source.prCommentUrl} label="the comment" />}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const fieldsOf = ({ content, stage }: Memory) => [
  { name: 'content', label: 'What is remembered', value: content },
  { name: 'stage', label: 'Stage', value: stageOf[stage][0] },
]

function DeleteDialog({ memory, etag, onClose }: { memory: Memory; etag: string | undefined; onClose: () => void }) {
  const remove = useChange('deleteMemory', touched)
  const fresh = useFresh('getMemory')
  const params = { memoryId: Number(memory.id) }
  const suggested = memory.stage === 'AI_MEMORY_STAGE_SUGGESTED'
  return (
    <Confirm
      title={suggested ? 'Decline the suggestion' : 'Delete the memory'}
      action={suggested ? 'Decline it' : 'Delete the memory'}
      onClose={onClose}
      versions={{
        seen: { etag, fields: fieldsOf(memory) },
        current: async () => {
          const { data, etag: now } = await fresh({ params })
          return { etag: now, fields: fieldsOf(data.memory) }
        },
      }}
      run={(ifMatch) =>
        remove
          .mutateAsync({ params, ifMatch })
          .then(() =>
            say(
              suggested ? 'Declined. It is not suggested again.' : 'Deleted. Its findings stand as before.',
              'no undo',
            ),
          )
      }
    >
      <p>
        {suggested
          ? 'It is not suggested again. It stays readable under Deleted.'
          : 'The findings it ignored stand again as they did before. It stays readable under Deleted.'}
      </p>
    </Confirm>
  )
}
