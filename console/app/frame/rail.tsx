import { useRef } from 'react'
import { useAsk } from '../../api/ask.ts'
import { openOnBranches } from '../../findings/filter.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useCurrentInSight } from '../../ui/in-sight.ts'
import { Link } from '../../ui/link.tsx'
import { count } from '../../ui/text/words.ts'
import { usePlace } from '../address/location.ts'
import { chooseAppearance, storedAppearance } from '../appearance.ts'
import { useDeployment, usePathTo } from '../deployment.ts'
import { addressOf, groups, type Place } from '../routes.ts'

export function Rail() {
  const to = usePathTo()
  const row = useRef<HTMLElement>(null)
  useCurrentInSight(row, usePlace().path)
  return (
    <nav ref={row} className="rail" aria-label="Pages">
      <Link to={to()} className="brand" aria-label="Gatehouse, overview">
        <Icon name="gate" /> <span className="label">Gatehouse</span>
      </Link>
      <div className="places">
        {groups.map((group) => (
          <RailGroup key={group.label} label={group.label} places={group.places} />
        ))}
      </div>
      <Button
        look="icon"
        className="fold"
        aria-label="Fold or unfold the navigation"
        onClick={() => chooseAppearance({ rail: storedAppearance().rail === 'wide' ? 'narrow' : 'wide' })}
      >
        <Icon name="lines" />
      </Button>
    </nav>
  )
}

function RailGroup({ label, places }: { label: string; places: Place[] }) {
  const deployment = useDeployment()
  const allowed = places.filter((place) => deployment.permissions.includes(place.needs))
  if (allowed.length === 0) return null
  return (
    <>
      {label && <h2>{label}</h2>}
      <ul>
        {allowed.map((place) => (
          <li key={place.path}>
            <RailLink place={place} />
          </li>
        ))}
      </ul>
    </>
  )
}

function RailLink({ place }: { place: Place }) {
  const to = usePathTo()
  const { path } = usePlace()
  const address = to(place.path)
  const isIn = (folder: string) => `${path}/`.startsWith(`${to(folder)}/`)
  const current =
    place.path === ''
      ? path.replace(/\/$/, '') === address
      : isIn(place.path) || (place.also ? isIn(place.also) : false)
  return (
    <Link to={to(addressOf(place))} className="place" aria-current={current ? 'page' : undefined} title={place.label}>
      <Icon name={place.icon} />
      <span className="label">{place.label}</span>
      {place.path === 'findings' && <OpenFindings />}
    </Link>
  )
}

function OpenFindings() {
  const { data } = useAsk(
    'countFindings',
    { body: { filter: { ...openOnBranches, archived: false } } },
    { staleTime: 30_000 },
  )
  return data ? <span className="count">{count(data.total)}</span> : null
}
