import { scalePoint, scaleSqrt } from 'd3-scale'
import { useRef } from 'react'
import { useElementWidth } from '../ui/element-width.ts'
import { Link } from '../ui/link.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Severity } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { type Advisory, lanesOf, type StripVersion, shownVersions } from './version-lanes.ts'

type Props = {
  title: string
  /** Oldest first. */
  versions: readonly StripVersion[]
  advisories: readonly Advisory[]
  /** Those that somebody asked for, if they asked for some only. */
  asked?: ReadonlySet<string> | undefined
  href: (version: string) => string
}

const inset = { side: 28, top: 10 }
const dotLane = 44
const laneHeight = 14

/** The versions in use in their order, as large as they are frequent, with what advisories name drawn under them. */
export function VersionStrip({ title, versions: all, advisories, asked, href }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const width = useElementWidth(ref, 640)
  const { shown, hidden } = shownVersions(all)
  const lanes = lanesOf(shown, advisories)
  const height = inset.top + dotLane + 18 + lanes.length * laneHeight
  const x = scalePoint<number>()
    .domain(shown.map((_, index) => index))
    .range([inset.side, Math.max(inset.side + 1, width - inset.side)])
    .padding(shown.length === 1 ? 0 : 0.1)
  const radius = scaleSqrt()
    .domain([0, Math.max(1, ...shown.map((each) => each.repositoryCount))])
    .range([3, 14])
  const middle = inset.top + dotLane / 2
  const nth = Math.max(1, Math.ceil((shown.length * 62) / Math.max(1, width - 2 * inset.side)))
  return (
    <figure className="chart" ref={ref}>
      <svg role="group" aria-label={title} viewBox={`0 0 ${Math.max(width, 1)} ${height}`} height={height}>
        {lanesOf(shown, asked ? [{ id: 'asked', versions: [...asked] }] : []).map(({ spans }) =>
          spans.map(([from, to]) => (
            <rect
              key={from}
              className="fill-asked"
              aria-hidden="true"
              x={(x(from) ?? 0) - 20}
              width={(x(to) ?? 0) - (x(from) ?? 0) + 40}
              y={0}
              height={inset.top + dotLane + 16}
              rx="6"
            />
          )),
        )}
        <line
          x1={inset.side}
          x2={width - inset.side}
          y1={middle}
          y2={middle}
          className="tick zero"
          aria-hidden="true"
        />
        {shown.map((each, index) => (
          <Link key={each.version} to={href(each.version)} className="mark" aria-label={spoken(each, asked)}>
            <title>{spoken(each, asked)}</title>
            <circle
              cx={x(index)}
              cy={middle}
              r={radius(each.repositoryCount)}
              className={each.severity ? 'fill-blocked' : 'fill-sca'}
            />
          </Link>
        ))}
        {shown.map(
          (each, index) =>
            index % nth === 0 && (
              <text key={each.version} x={x(index)} y={inset.top + dotLane + 10} textAnchor="middle" aria-hidden="true">
                {plainly(each.version).slice(0, 10)}
              </text>
            ),
        )}
        {lanes.map(({ id, spans }, lane) =>
          spans.map(([from, to]) => (
            <g key={`${id} ${from}`} className="mark" role="img" tabIndex={0} aria-label={named(id, shown, from, to)}>
              <title>{named(id, shown, from, to)}</title>
              <rect
                className="fill-blocked"
                x={(x(from) ?? 0) - 8}
                width={(x(to) ?? 0) - (x(from) ?? 0) + 16}
                y={inset.top + dotLane + 20 + lane * laneHeight}
                height={6}
                rx="3"
              />
            </g>
          )),
        )}
      </svg>
      <div className="legend-row">
        <span>
          <span className="swatch fill-sca" /> in use
        </span>
        <span>
          <span className="swatch fill-blocked" /> named by an advisory; each bar below is one
        </span>
        {asked && (
          <span>
            <span className="swatch fill-asked" /> asked for
          </span>
        )}
        {hidden > 0 && <span>{plural(hidden, 'older version')} not drawn</span>}
      </div>
      <StripTable title={title} versions={all} advisories={advisories} asked={asked} href={href} />
    </figure>
  )
}

function spoken({ version, repositoryCount, severity }: StripVersion, asked?: ReadonlySet<string>): string {
  const count = plural(repositoryCount, 'repository', 'repositories')
  const wanted = asked?.has(version) ? ', asked for' : ''
  return `${plainly(version || '?')}: ${count}${severity ? ', named by an advisory' : ''}${wanted}`
}

function named(id: string, versions: readonly StripVersion[], from: number, to: number): string {
  const [first, last] = [versions[from]!.version, versions[to]!.version]
  return plainly(`${id} names ${first === last ? first : `${first} to ${last}`}`)
}

/** The same for whoever reads rather than looks. */
function StripTable({ title, versions, advisories, asked, href }: Props) {
  return (
    <details className="small">
      <summary className="muted">Show as table</summary>
      <div className="table-wrap">
        <table className="table">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col" className="end">
                Repositories
              </th>
              <th scope="col">Worst</th>
              <th scope="col">Named by</th>
              {asked && <th scope="col">Asked for</th>}
            </tr>
          </thead>
          <tbody>
            {versions.map((each) => (
              <tr key={each.version}>
                <th scope="row">
                  <Foreign text={each.version || '?'} mono />
                </th>
                <td className="end num">
                  <Link to={href(each.version)}>{each.repositoryCount.toLocaleString('en')}</Link>
                </td>
                <td>{each.severity && <Severity level={each.severity} />}</td>
                <td>
                  <Foreign
                    text={advisories
                      .filter(({ versions: those }) => those.includes(each.version))
                      .map(({ id }) => id)
                      .join(', ')}
                    mono
                  />
                </td>
                {asked && <td>{asked.has(each.version) ? 'yes' : 'no'}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
