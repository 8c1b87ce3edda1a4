import { useState } from 'react'
import type { Ruleboard } from '../../src/capabilities/ruleboards/contract.ts'
import { useChange, useFresh, useTagged, useTaggedChange } from '../api/ask.ts'
import { Problem } from '../api/problem.ts'
import { pathPart } from '../app/address/address.ts'
import { askBeforeLeaving, go, useAskBeforeLeaving } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { useBegun } from '../ui/forms/begun.ts'
import { Input } from '../ui/forms/field.tsx'
import { RepositoryChooser } from '../ui/forms/repository-chooser.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Stale } from '../ui/stale.tsx'
import { ErrorBox, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { list, plural } from '../ui/text/words.ts'
import { RuleboardTrial } from './ruleboard-trial.tsx'

const touched = ['listRuleboards', 'getRuleboard'] as const

/** One ruleboard: its name and the repositories it applies to. */
export function OneRuleboard({ slug }: { slug: string }) {
  const to = usePathTo()
  const asked = useTagged('getRuleboard', { params: { ruleboardSlug: slug } })
  const write = useMay('ruleboards:write')
  const [deleting, setDeleting] = useState(false)
  const remove = useChange('deleteRuleboard', touched)
  const fresh = useFresh('getRuleboard')
  const board = asked.data?.data
  return (
    <Page>
      <PageHead
        title={board?.name ?? 'Ruleboard'}
        back={{ to: to('ruleboards'), label: 'Ruleboards' }}
        about={
          board &&
          `${board.type === 'RULEBOARD_TYPE_SECRETS' ? 'Secrets' : 'Weaknesses in code'}${board.default ? ' · applies to every repository that no other board claims' : ''}`
        }
      >
        {board && (
          <Button
            look="danger"
            why={write.why ?? (board.default ? 'Every repository has a default board; it stays.' : undefined)}
            onClick={() => setDeleting(true)}
          >
            Delete…
          </Button>
        )}
      </PageHead>
      <Part of={asked}>
        {({ data, etag }) => (
          <>
            <Overview
              key={slug}
              board={data}
              etag={etag}
              why={write.why}
              onReload={async () => (await asked.refetch()).data}
            />
            {deleting && (
              <Confirm
                title={`Delete ${data.name}`}
                action={`Delete ${data.name}`}
                onClose={() => setDeleting(false)}
                versions={{
                  seen: { etag, fields: fieldsOf(data) },
                  current: async () => {
                    const { data: there, etag: now } = await fresh({ params: { ruleboardSlug: slug } })
                    return { etag: now, fields: fieldsOf(there) }
                  },
                }}
                run={async (ifMatch) => {
                  await remove.mutateAsync({ params: { ruleboardSlug: slug }, ifMatch })
                  say(`${data.name} is deleted.`, 'no undo')
                  askBeforeLeaving(undefined)
                  go(to('ruleboards'))
                }}
              >
                <p>
                  {plural(data.assigned_repos.length, 'repository falls', 'repositories fall')} back to the default
                  board.
                </p>
              </Confirm>
            )}
          </>
        )}
      </Part>
    </Page>
  )
}

const fieldsOf = ({ name, assigned_repos }: Ruleboard) => [
  { name: 'name', label: 'Name', value: name },
  { name: 'repositories', label: 'Repositories', value: list(assigned_repos) },
]

type Loaded = { data: Ruleboard; etag: string | undefined }
type OverviewProps = {
  board: Ruleboard
  etag: string | undefined
  why: string | undefined
  onReload: () => Promise<Loaded | undefined>
}

type Draft = { name: string; assigned_repos: string[] }

function Overview({ why, onReload, ...now }: OverviewProps) {
  const to = usePathTo()
  const { begun, typed, settled } = useBegun(now)
  const { board, etag } = begun
  // Nothing where nothing was changed: what is there is shown then.
  const [draft, setDraft] = useState<Draft>()
  const { name, assigned_repos: repositories } = draft ?? board
  const change = (part: Partial<Draft>) => {
    typed()
    setDraft({ name, assigned_repos: repositories, ...part })
  }
  const setRepositories = (next: string[]) => change({ assigned_repos: next })
  const [stale, setStale] = useState<Loaded>()
  const update = useTaggedChange('updateRuleboardOverview', touched)
  const params = { ruleboardSlug: board.slug }
  const changed = name !== board.name || [...repositories].sort().join() !== [...board.assigned_repos].sort().join()
  useAskBeforeLeaving(changed && !why ? 'The changed ruleboard is not saved. Leave all the same?' : undefined)
  const asItIs = () => {
    setDraft(undefined)
    setStale(undefined)
    settled()
  }
  // What is on screen is read again before a change is over, so it begins with the new version.
  const put = async (body: Draft, ifMatch?: string) => {
    const { etag: made } = await update.mutateAsync({ params, body, ifMatch })
    asItIs()
    return made
  }
  const save = async (ifMatch: string | undefined) => {
    const before = { name: board.name, assigned_repos: board.assigned_repos }
    try {
      const made = await put({ name, assigned_repos: repositories }, ifMatch)
      say('Saved.', () => put(before, made).then(() => say('Undone: the ruleboard is as it was.')))
    } catch (error) {
      if (error instanceof Problem && error.status === 412) setStale(await onReload())
    }
  }
  return (
    <Card title="Overview" aside={plural(repositories.length, 'repository', 'repositories')}>
      <Input
        label="Name"
        value={name}
        maxLength={200}
        readOnly={why !== undefined}
        hint={`Its address stays: ${board.slug}`}
        onChange={(event) => change({ name: event.target.value })}
        wrong={update.error?.about('/name')}
      />
      <div className="field">
        <span className="label">Repositories it applies to</span>
        {!why && (
          <div>
            <RepositoryChooser
              label="Add or take out repositories"
              by="name"
              many
              chosen={repositories}
              onChoose={setRepositories}
              empty="Add repositories"
            />
          </div>
        )}
      </div>
      {repositories.length > 0 && (
        <Table
          label="Repositories of the ruleboard"
          rows={repositories}
          keyOf={(repository) => repository}
          columns={[
            {
              label: 'Repository',
              cell: (repository) => (
                <Link to={to(`findings?repo=${pathPart(repository).replaceAll('%2F', '/')}`)}>
                  <Foreign text={repository} />
                </Link>
              ),
            },
            {
              label: 'Actions',
              quiet: true,
              end: true,
              cell: (repository) =>
                !why && (
                  <Button
                    aria-label={`Remove ${repository}`}
                    onClick={() => setRepositories(repositories.filter((each) => each !== repository))}
                  >
                    Remove
                  </Button>
                ),
            },
          ]}
        />
      )}
      {stale && (
        <Stale
          differences={[
            { name: 'Name', mine: name, theirs: stale.data.name },
            { name: 'Repositories', mine: list(repositories), theirs: list(stale.data.assigned_repos) },
          ]}
          onTheirs={asItIs}
          onMine={() => void save(stale.etag)}
        />
      )}
      {changed && <RuleboardTrial slug={board.slug} repositories={repositories} />}
      {update.error && update.error.status !== 412 && <ErrorBox problem={update.error} />}
      {!why && (
        <div className="row">
          <Button
            look="primary"
            why={changed ? (update.isPending ? 'Being saved' : undefined) : 'Nothing is changed.'}
            onClick={() => void save(etag)}
          >
            Save
          </Button>
          {changed && <Button onClick={asItIs}>As it was</Button>}
        </div>
      )}
    </Card>
  )
}
