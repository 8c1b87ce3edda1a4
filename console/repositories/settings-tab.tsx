import { type FormEvent, useRef, useState } from 'react'
import type { Repository } from '../../src/capabilities/repositories/contract.ts'
import { queryClient, refresh, useChange, useFresh } from '../api/ask.ts'
import { askBeforeLeaving, go, useAskBeforeLeaving } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { useBegun } from '../ui/forms/begun.ts'
import { Check, Input } from '../ui/forms/field.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { type Difference, Stale } from '../ui/stale.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { AppliedRulesCard } from './applied-rules.tsx'

const templates = [
  { name: 'file', label: 'A line of a file', placeholder: 'https://code.example.com/{commit}/{path}#{line}' },
  { name: 'commit', label: 'A commit', placeholder: 'https://code.example.com/commit/{commit}' },
  { name: 'pullRequest', label: 'A pull request', placeholder: 'https://code.example.com/pull/{number}' },
] as const

const touched = ['getRepository', 'listRepositories', 'listTags'] as const

export function SettingsTab(props: { repository: Repository; etag: string | undefined }) {
  const { begun, isTyped, typed, settled } = useBegun(props)
  const { repository, etag } = begun
  const form = useRef<HTMLFormElement>(null)
  const { why } = useMay('repositories:write')
  useAskBeforeLeaving(isTyped && !why ? 'The changed settings are not saved. Leave all the same?' : undefined)
  const policies = useMay('policies:read')
  const change = useChange('updateRepository', touched)
  const [deleting, setDeleting] = useState(false)
  const params = { repositoryId: repository.id }
  const fresh = useFresh('getRepository')
  const [conflict, setConflict] = useState<{ mine: Changes; theirs: Repository; etag: string | undefined }>()
  const save = (body: Changes, ifMatch: string | undefined) =>
    change.mutate(
      { params, body, ifMatch },
      {
        onSuccess: () => {
          setConflict(undefined)
          settled()
          say('Saved.', 'no undo')
        },
        onError: async (problem) => {
          if (problem.status !== 412) return
          const { data, etag: now } = await fresh({ params })
          // Another version in which all of this is as it was: it was archived meanwhile, say.
          if (differences(repository, data.repository).length === 0) save(body, now)
          else setConflict({ mine: body, theirs: data.repository, etag: now })
        },
      },
    )
  const saveTyped = (ifMatch: string | undefined) => {
    if (form.current?.reportValidity()) save(changesIn(new FormData(form.current)), ifMatch)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saveTyped(etag)
  }
  const archive = (archived: boolean, undone = false): void =>
    change.mutate(
      { params, body: { archived } },
      {
        onSuccess: () =>
          say(archived ? 'Archived.' : 'Back from the archive.', undone ? undefined : () => archive(!archived, true)),
      },
    )
  return (
    <>
      <Card title="Settings">
        <form className="form" onSubmit={submit} onInput={typed} ref={form} key={etag}>
          <Input
            label="Name"
            name="name"
            defaultValue={repository.name}
            required
            maxLength={300}
            wrong={change.error?.about('/name')}
          />
          <Input
            label="Default branch"
            name="branch"
            defaultValue={repository.defaultBranch}
            required
            maxLength={250}
            hint="Full scans of it make the inventory."
            wrong={change.error?.about('/defaultBranch')}
          />
          <Input label="Tags" name="tags" defaultValue={repository.tags.join(', ')} hint="With commas between them." />
          <Input
            label="Web address"
            name="web"
            type="url"
            defaultValue={repository.webUrl}
            maxLength={1_000}
            placeholder="https://github.com/group/project"
            hint="Findings link to their line there. GitHub, GitLab, Bitbucket and Azure DevOps need no more than this."
            wrong={change.error?.about('/webUrl')}
          />
          <details>
            <summary>Addresses at another host</summary>
            {templates.map(({ name, label, placeholder }) => (
              <Input
                key={name}
                label={label}
                name={name}
                defaultValue={repository.linkTemplates[name] ?? ''}
                maxLength={1_000}
                placeholder={placeholder}
                wrong={change.error?.about(`/linkTemplates/${name}`)}
              />
            ))}
          </details>
          <Check
            label="What it builds can be reached from the internet"
            name="exposed"
            defaultChecked={repository.publiclyExposed}
          />
          {conflict ? (
            <Stale
              differences={differences(conflict.mine, conflict.theirs)}
              onMine={() => saveTyped(conflict.etag)}
              onTheirs={() => {
                setConflict(undefined)
                change.reset()
                void refresh(queryClient, touched).then(settled)
              }}
            />
          ) : (
            change.error && <ErrorBox problem={change.error} />
          )}
          <div className="row">
            <Button type="submit" look="primary" why={why}>
              Save
            </Button>
          </div>
        </form>
      </Card>
      {policies.may && <AppliedRulesCard repositoryId={repository.id} />}
      <Card title="Danger zone">
        <div className="row">
          <Button why={why} onClick={() => archive(!props.repository.archived)}>
            {props.repository.archived ? 'Take it back from the archive' : 'Archive'}
          </Button>
          <Button look="danger" why={why} onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        </div>
      </Card>
      {deleting && <DeleteDialog repository={props.repository} onClose={() => setDeleting(false)} />}
    </>
  )
}

type Changes = Pick<Repository, 'name' | 'defaultBranch' | 'tags' | 'publiclyExposed' | 'webUrl' | 'linkTemplates'>

function changesIn(form: FormData): Changes {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  return {
    name: text('name'),
    defaultBranch: text('branch'),
    tags: text('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    publiclyExposed: form.get('exposed') === 'on',
    webUrl: text('web'),
    linkTemplates: Object.fromEntries(
      templates.map(({ name }) => [name, text(name)]).filter(([, typed]) => typed !== ''),
    ),
  }
}

function differences(mine: Changes, theirs: Changes): Difference[] {
  const shown = (each: Changes) => ({
    Name: each.name,
    'Default branch': each.defaultBranch,
    Tags: each.tags.toSorted().join(', '),
    'Reached from the internet': each.publiclyExposed ? 'yes' : 'no',
    'Web address': each.webUrl,
    ...Object.fromEntries(templates.map(({ name, label }) => [label, each.linkTemplates[name] ?? ''])),
  })
  const [own, other] = [Object.entries(shown(mine)), Object.values(shown(theirs))]
  return own
    .map(([name, text], at) => ({ name, mine: text, theirs: other[at]! }))
    .filter((difference) => difference.mine !== difference.theirs)
}

function DeleteDialog({ repository, onClose }: { repository: Repository; onClose: () => void }) {
  const to = usePathTo()
  const [typed, setTyped] = useState('')
  const remove = useChange('deleteRepository', touched)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void remove
      .mutateAsync({ params: { repositoryId: repository.id } })
      .then(() => {
        say(`${repository.name} is deleted.`, 'no undo')
        askBeforeLeaving(undefined)
        go(to('repositories'))
      })
      .catch(() => undefined)
  }
  return (
    <Dialog title={`Delete ${repository.name}`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p>
          Everything that is known about it goes: scans, dependencies, findings and what was decided about them. This
          cannot be undone.
        </p>
        <Input
          label={`Type ${repository.name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
        />
        {remove.error && <ErrorBox problem={remove.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" why={typed === repository.name ? undefined : 'Type the name first.'}>
            Delete {repository.name}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
