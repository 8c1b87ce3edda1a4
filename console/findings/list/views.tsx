import { formatSearch, parseSearch } from '../../app/address/address.ts'
import { usePlace } from '../../app/address/location.ts'
import { usePathTo } from '../../app/deployment.ts'
import { Link } from '../../ui/link.tsx'
import { inUse } from '../filter.ts'

const day = 86_400_000

/** Questions that are asked often, each a link like any other. */
function views(now: number): { label: string; search: string }[] {
  const since = new Date(now - 7 * day).toISOString().slice(0, 10)
  return [
    { label: 'All open', search: formatSearch(inUse) },
    { label: 'Priority', search: '?state=any&stage=priority&archived=no' },
    { label: 'Mine', search: '?assignee=me' },
    { label: 'New this week', search: formatSearch([...inUse, ['raised', `${since}..`], ['sort', 'raised']]) },
    { label: 'Pull requests', search: '?prs=only' },
    { label: 'Everywhere', search: '' },
  ]
}

export function Views() {
  const to = usePathTo()
  const { pairs } = usePlace()
  const here = formatSearch(pairs)
  return (
    <nav className="segments" aria-label="Views">
      {views(Date.now()).map((view) => (
        <Link
          key={view.label}
          to={to(`findings${view.search}`)}
          aria-current={here === formatSearch(parseSearch(view.search)) ? 'true' : undefined}
        >
          {view.label}
        </Link>
      ))}
    </nav>
  )
}
