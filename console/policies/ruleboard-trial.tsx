import { useAsk } from '../api/ask.ts'
import { Table } from '../ui/lists/table.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { list, plural } from '../ui/text/words.ts'

const mostShown = 100

/** Which boards would apply to whom, if it were saved as it is on screen. */
export function RuleboardTrial({ slug, repositories }: { slug: string; repositories: readonly string[] }) {
  const asked = useAsk('tryRuleboard', {
    params: { ruleboardSlug: slug },
    body: { assigned_repos: [...repositories] },
  })
  return (
    <section aria-label="What this would change">
      <h3>What this would change</h3>
      <Part of={asked} lines={2}>
        {({ changes }) =>
          changes.length === 0 ? (
            <p className="muted">The same boards apply to every repository.</p>
          ) : (
            <>
              <p role="status">Other boards would apply to {plural(changes.length, 'repository', 'repositories')}.</p>
              <Table
                label="Repositories with other boards"
                rows={changes.slice(0, mostShown)}
                keyOf={(row) => row.repository}
                columns={[
                  { label: 'Repository', cell: (row) => <Foreign text={row.repository} /> },
                  { label: 'Now', cell: (row) => <Foreign text={list(row.before)} /> },
                  { label: 'Then', cell: (row) => <Foreign text={list(row.after)} /> },
                ]}
              />
              {changes.length > mostShown && <p className="muted">And {changes.length - mostShown} more.</p>}
            </>
          )
        }
      </Part>
    </section>
  )
}
