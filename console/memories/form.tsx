import { useState } from 'react'
import type { Memory } from '../../src/capabilities/memories/memory.ts'
import { useChange, useTags } from '../api/ask.ts'
import type { OperationId } from '../api/contracts.ts'
import { missing } from '../api/missing.ts'
import { Problem } from '../api/problem.ts'
import { go } from '../app/address/location.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { Check, Input, Select, Textarea } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { RepositoryChooser } from '../ui/forms/repository-chooser.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Stale } from '../ui/stale.tsx'
import { type ContextName, contexts, memoryBody } from './words.ts'

const touched: OperationId[] = ['browseMemories', 'getMemory', 'searchFindings', 'countFindings', 'getFinding']
type Loaded = { data: { memory: Memory }; etag: string | undefined }
type Props = {
  memory?: Memory
  /** What a new one is about at first. */
  start?: Pick<Memory, 'repositoryId' | 'ruleId' | 'pathPrefixes'>
  etag?: string | undefined
  onClose: () => void
  onReload?: () => Promise<Loaded | undefined>
}
type Where = 'repository' | 'tag' | 'deployment'

const whereOf = (memory: Memory | undefined): Where =>
  !memory || memory.repositoryId ? 'repository' : memory.projectTagId > 0 ? 'tag' : 'deployment'

const repositoryOf = (about: { repositoryId: string } | undefined) => (about?.repositoryId ? [about.repositoryId] : [])

/** What is remembered, and about what. A live one takes effect with the answer. */
export function MemoryDialog({ memory, start, etag, onClose, onReload }: Props) {
  const to = usePathTo()
  const { role } = useDeployment()
  const wide = role === 'owner' || role === 'admin'
  const { tags } = useTags()
  const [where, setWhere] = useState<Where>(whereOf(memory))
  const [repository, setRepository] = useState<string[]>(repositoryOf(memory ?? start))
  const [tag, setTag] = useState(memory?.projectTagId ?? 0)
  const [version, setVersion] = useState(etag)
  const [stale, setStale] = useState<{ mine: string; theirs: string; etag: string | undefined }>()
  const create = useChange('createMemory', touched)
  const update = useChange('updateMemory', touched)
  return (
    <FormDialog
      title={memory ? 'Edit the memory' : 'New memory'}
      action={memory ? 'Save' : 'Remember it'}
      onClose={onClose}
      run={async (form) => {
        // An empty repository would mean the whole deployment.
        if (where === 'repository' && repository.length === 0) {
          throw missing('/repositoryId', 'Choose the repository that it is about.')
        }
        const body = memoryBody({
          content: form.text('content'),
          context: form.texts('context') as ContextName[],
          ruleId: form.text('ruleId'),
          pathPrefixes: form.text('pathPrefixes'),
          vulnerabilityClass: form.text('vulnerabilityClass'),
          repositoryId: where === 'repository' ? (repository[0] ?? '') : '',
          projectTagId: where === 'tag' ? tag : 0,
        })
        if (!memory) {
          const made = await create.mutateAsync({ body })
          say('Remembered. It takes effect now.', 'no undo')
          go(to(`memories/${made.memory.id}`))
          return
        }
        try {
          await update.mutateAsync({ params: { memoryId: Number(memory.id) }, body, ifMatch: version })
          say('Saved.', 'no undo')
        } catch (error) {
          if (error instanceof Problem && error.status === 412) {
            const now = await onReload?.()
            if (now) setStale({ mine: body.content, theirs: now.data.memory.content, etag: now.etag })
          }
          throw error
        }
      }}
    >
      {(about) => (
        <>
          <Textarea
            label="What is remembered"
            name="content"
            required
            maxLength={10_000}
            rows={3}
            defaultValue={memory?.content}
            wrong={about('/content')}
            placeholder="Tests use made-up credentials."
          />
          <fieldset className="stack tight">
            <legend className="legend">Good for</legend>
            {(Object.keys(contexts) as ContextName[]).map((name) => (
              <Check
                key={name}
                name="context"
                value={name}
                label={contexts[name]}
                defaultChecked={memory ? memory.context.includes(name) : name === 'AI_MEMORY_CONTEXT_TRIAGE'}
              />
            ))}
            {about('/context') && <span className="wrong small">{about('/context')}</span>}
          </fieldset>
          <div className="pair">
            <Input
              label="Rule (empty: any)"
              name="ruleId"
              maxLength={400}
              defaultValue={(memory ?? start)?.ruleId}
              wrong={about('/ruleId')}
            />
            <Input
              label="Class (empty: any)"
              name="vulnerabilityClass"
              maxLength={200}
              placeholder="CWE-79"
              defaultValue={memory?.vulnerabilityClass}
              wrong={about('/vulnerabilityClass')}
            />
          </div>
          <Textarea
            label="Folders and files, one a line (empty: any)"
            name="pathPrefixes"
            rows={2}
            placeholder="src/test"
            defaultValue={(memory ?? start)?.pathPrefixes.join('\n')}
            wrong={about('/pathPrefixes')}
          />
          <Select
            label="Where"
            value={where}
            hint={wide ? undefined : 'Tags and the whole deployment are for owners and admins.'}
            onChange={(event) => setWhere(event.target.value as Where)}
            choices={[
              { value: 'repository', label: 'In one repository' },
              ...(wide || whereOf(memory) === 'tag' ? [{ value: 'tag', label: 'In repositories with a tag' }] : []),
              ...(wide || whereOf(memory) === 'deployment'
                ? [{ value: 'deployment', label: 'In the whole deployment' }]
                : []),
            ]}
          />
          {where === 'repository' && (
            <div className="field">
              <span className="label">Repository</span>
              <div>
                <RepositoryChooser
                  label="Repository"
                  by="id"
                  chosen={repository}
                  onChoose={setRepository}
                  empty="Choose a repository"
                />
              </div>
              {about('/repositoryId') && <span className="wrong">{about('/repositoryId')}</span>}
            </div>
          )}
          {where === 'tag' && (
            <Select
              label="Tag"
              required
              value={tag === 0 ? '' : String(tag)}
              wrong={about('/projectTagId')}
              onChange={(event) => setTag(Number(event.target.value))}
              choices={[
                { value: '', label: 'Choose a tag' },
                ...tags.map((each) => ({ value: String(each.id), label: each.name })),
              ]}
            />
          )}
          {stale && (
            <Stale
              differences={[{ name: 'What is remembered', mine: stale.mine, theirs: stale.theirs }]}
              onTheirs={onClose}
              onMine={() => {
                setVersion(stale.etag)
                setStale(undefined)
                say('Save again to put yours over it.')
              }}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
