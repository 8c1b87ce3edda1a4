import type { ShownFeed } from '../../../src/feeds/shown-feed.ts'
import { firstOf } from '../../app/address/address.ts'
import { usePlace } from '../../app/address/location.ts'
import { Narrowed } from '../../ui/lists/narrowed.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'

const tones = { active: 'ok', waiting: undefined, unreachable: 'bad', refused: 'bad' } as const

/** Where advisories come from, how old they are and what is wrong with them. */
export function FeedTable({ label, feeds, advice }: { label: string; feeds: readonly ShownFeed[]; advice: string }) {
  const stale = firstOf(usePlace().pairs, 'feeds') === 'stale'
  const rows = stale ? feeds.filter((feed) => feed.stale) : feeds
  return (
    <>
      {stale && <Narrowed name="feeds">Only feeds that have a problem or were not current for 48 hours.</Narrowed>}
      {advice && <p className="banner">{advice}</p>}
      {feeds.length === 0 ? (
        <p className="muted">No feed is set up.</p>
      ) : (
        <Table
          label={label}
          rows={rows}
          keyOf={(feed) => feed.name}
          columns={[
            {
              label: 'Feed',
              cell: (feed) => (
                <>
                  {feed.name}
                  {feed.place && (
                    <div className="muted small">
                      <Foreign text={feed.place} mono />
                    </div>
                  )}
                </>
              ),
            },
            { label: 'State', cell: (feed) => <FeedState feed={feed} /> },
            {
              label: 'Records',
              end: true,
              cell: (feed) => <span className="num">{feed.records.toLocaleString('en')}</span>,
            },
            { label: 'Looked at', cell: (feed) => <Ago at={feed.checkedAt} /> },
            { label: 'Changed', cell: (feed) => <Ago at={feed.activatedAt} /> },
            { label: 'Problem', cell: (feed) => feed.problem && <Foreign text={feed.problem} clamp={200} /> },
          ]}
        />
      )}
    </>
  )
}

function FeedState({ feed }: { feed: ShownFeed }) {
  return (
    <span className="row tight">
      <Tag tone={tones[feed.state]}>{feed.state}</Tag>
      {feed.stale && <Tag tone="warn">stale</Tag>}
    </span>
  )
}
