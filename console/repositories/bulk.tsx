import { useState } from 'react'
import { queryClient, refresh, useFresh, useTaggedChange } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { plural, undone } from '../ui/text/words.ts'
import type { RepositoryRow } from './columns.tsx'

type Changes = Body<'updateRepository'>
/** What it was, and the version in which it is not any more. */
type Before = { body: Changes; ifMatch: string | undefined }
type Seen = { tags: readonly string[]; publiclyExposed: boolean }
/** What a repository becomes; nothing where it is so already. */
type Change = (seen: Seen) => Changes | undefined

const touched = ['searchRepositories', 'getRepository', 'listRepositories', 'listTags'] as const

/** What can be done with all repositories that are selected. Each is changed as it is now, and can be put back. */
export function RepositoryBulk({ rows, onClear }: { rows: readonly RepositoryRow[]; onClear: () => void }) {
  const { why } = useMay('repositories:write')
  const fresh = useFresh('getRepository')
  const update = useTaggedChange('updateRepository')
  const [asking, setAsking] = useState<'add' | 'remove'>()
  const [done, setDone] = useState<number>()

  /** One after the other, so that it stops where something is refused; what is done until then can be undone. */
  async function run(what: string, to: Change): Promise<void> {
    const before = new Map<number, Before>()
    let refused = ''
    try {
      for (const [index, { id: repositoryId }] of rows.entries()) {
        setDone(index)
        const params = { repositoryId }
        const { data, etag } = await fresh({ params })
        const { tags, publiclyExposed } = data.repository
        const body = to({ tags, publiclyExposed })
        if (!body) continue
        const { etag: made } = await update.mutateAsync({ params, body, ifMatch: etag })
        before.set(repositoryId, { body: body.tags ? { tags } : { publiclyExposed }, ifMatch: made })
      }
    } catch (error) {
      refused = ` Then it stopped: ${asProblem(error).message}`
    }
    setDone(undefined)
    await refresh(queryClient, touched)
    const told = `${plural(before.size, 'repository', 'repositories')} ${what}.${refused}`
    say(told, before.size > 0 ? () => void putBack(before) : undefined)
  }
  async function putBack(before: ReadonlyMap<number, Before>): Promise<void> {
    try {
      for (const [repositoryId, was] of before) await update.mutateAsync({ params: { repositoryId }, ...was })
      say(undone(before.size, 'repository', 'repositories'))
    } catch (error) {
      sayFailure(`Not undone: ${asProblem(error).message}`)
    }
    await refresh(queryClient, touched)
  }
  const busy = done === undefined ? why : `${done} of ${rows.length} are done.`
  const expose =
    (publiclyExposed: boolean): Change =>
    (seen) =>
      seen.publiclyExposed === publiclyExposed ? undefined : { publiclyExposed }
  return (
    <>
      <section className="bulk fade" aria-label="Selection">
        <span role="status">{plural(rows.length, 'repository', 'repositories')} selected</span>
        <Button why={busy} onClick={() => void run('marked as exposed', expose(true))}>
          Exposed
        </Button>
        <Button why={busy} onClick={() => void run('marked as not exposed', expose(false))}>
          Not exposed
        </Button>
        <Button why={busy} onClick={() => setAsking('add')}>
          Add a tag…
        </Button>
        <Button why={busy} onClick={() => setAsking('remove')}>
          Take a tag off…
        </Button>
        <Button onClick={onClear}>Clear</Button>
      </section>
      {asking && (
        <TagDialog
          adding={asking === 'add'}
          count={rows.length}
          onClose={() => setAsking(undefined)}
          onTag={(tag) =>
            run(asking === 'add' ? `tagged ${tag}` : `without ${tag} now`, ({ tags }) => {
              if (tags.includes(tag) === (asking === 'add')) return undefined
              return { tags: asking === 'add' ? [...tags, tag] : tags.filter((each) => each !== tag) }
            })
          }
        />
      )}
    </>
  )
}

type TagProps = { adding: boolean; count: number; onTag: (tag: string) => Promise<void>; onClose: () => void }

function TagDialog({ adding, count, onTag, onClose }: TagProps) {
  const of = plural(count, 'repository', 'repositories')
  return (
    <FormDialog
      title={adding ? `Add a tag to ${of}` : `Take a tag off ${of}`}
      action={adding ? 'Add the tag' : 'Take it off'}
      onClose={onClose}
      run={async (texts) => void onTag(texts.text('tag'))}
    >
      {() => <Input label="Tag" name="tag" required maxLength={100} autoFocus />}
    </FormDialog>
  )
}
