import { useAsk } from '../api/ask.ts'
import { firstOf, withValues } from '../app/address/address.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { packagePath } from '../dependencies/package-path.ts'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago } from '../ui/text/marks.tsx'
import { NewsList } from './news-list.tsx'
import { SeenButton, UnwatchButton, type Watched } from './watch.tsx'

/** Packages that the person wants to hear about. */
export default function WatchedPackagesPage() {
  const to = usePathTo()
  const { pairs } = usePlace()
  const onlyNews = firstOf(pairs, 'news') === 'yes'
  const asked = useAsk('listWatchedPackages', {})
  return (
    <Page>
      <PageHead
        title="Watched packages"
        back={{ to: to('dependencies'), label: 'Dependencies' }}
        about="Your own list. News is what changed since you last marked a package as seen."
      />
      <fieldset className="segments">
        <legend className="visually-hidden">Which</legend>
        {[false, true].map((news) => (
          <button
            key={String(news)}
            type="button"
            aria-pressed={onlyNews === news}
            onClick={() => goSearch(withValues(pairs, 'news', news ? ['yes'] : []))}
          >
            {news ? 'With news' : 'All'}
          </button>
        ))}
      </fieldset>
      <Part of={asked} lines={4}>
        {({ watches }) => {
          const rows = onlyNews ? watches.filter(({ hasNews }) => hasNews) : watches
          return rows.length === 0 ? <Nothing isEmpty={watches.length === 0} /> : <Watches rows={rows} />
        }}
      </Part>
    </Page>
  )
}

function Watches({ rows }: { rows: Watched[] }) {
  const to = usePathTo()
  return (
    <Card>
      <Table
        label="Watched packages"
        rows={rows}
        keyOf={(row) => `${row.ecosystem} ${row.name}`}
        columns={[
          {
            label: 'Package',
            cell: (row) => (
              <>
                <Link to={to(packagePath(row))}>
                  <Foreign text={row.name} mono />
                </Link>{' '}
                <span className="muted">{row.ecosystem}</span>
              </>
            ),
          },
          {
            label: 'News',
            cell: (row) => (row.hasNews ? <NewsList watched={row} /> : <span className="muted">none</span>),
          },
          { label: 'Repositories', end: true, cell: (row) => row.repositoryCount.toLocaleString('en') },
          { label: 'Seen', cell: (row) => <Ago at={row.seenAt} /> },
          {
            label: 'Actions',
            quiet: true,
            end: true,
            cell: (row) => (
              <div className="row end">
                {row.hasNews && <SeenButton watched={row} />}
                <UnwatchButton watched={row} />
              </div>
            ),
          },
        ]}
      />
    </Card>
  )
}

function Nothing({ isEmpty }: { isEmpty: boolean }) {
  const to = usePathTo()
  if (!isEmpty)
    return (
      <Empty title="No news">
        <p>Nothing changed about the packages that you watch.</p>
      </Empty>
    )
  return (
    <Empty title="You watch no package yet">
      <p>
        Open a package and press <strong>Watch</strong>. The overview then says when a repository begins to use it, when
        a version comes into use, when a vulnerability becomes known, and when the firewall decides otherwise.
      </p>
      <p>
        <Link to={to('dependencies')}>Find a package</Link>
      </p>
    </Empty>
  )
}
