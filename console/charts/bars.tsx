import { scaleBand, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { type ReactNode, useRef } from 'react'
import { useElementWidth } from '../ui/element-width.ts'
import { Link } from '../ui/link.tsx'
import { axisLabels, type Bucket, everyNth, partMark, spokenLabels } from './labels.ts'
import { extentOf, type Row, type Segment, type Series, segmentsOf } from './stacks.ts'

type Props = {
  title: string
  series: readonly Series[]
  buckets: readonly Bucket[]
  rows: readonly Row[]
  /** A line over the bars. */
  net?: { label: string; values: readonly number[] }
  /** A second line below the axis: what else is to be said of each time. */
  under?: { label: string; texts: readonly string[] }
  /** Where a part of a bar leads: exactly the things it counts. */
  href?: (series: Series, bucket: Bucket) => string | undefined
  height?: number
}

const inset = { top: 8, right: 4, bottom: 22, left: 34 }

/** Stacked bars over time, with a table of the same numbers. */
export function Bars({ title, series, buckets, rows, net, under, href, height = 220 }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const width = useElementWidth(ref, 640)
  const segments = segmentsOf(series, rows)
  const bottom = inset.bottom + (under ? 16 : 0)
  const x = scaleBand<number>()
    .domain(buckets.map((_, index) => index))
    .range([inset.left, Math.max(inset.left + 10, width - inset.right)])
    .paddingInner(0.32)
    .paddingOuter(0.12)
  const y = scaleLinear()
    .domain(extentOf(segments, net?.values))
    .nice(4)
    .range([height - bottom, inset.top])
  const labels = axisLabels(buckets)
  const spoken = spokenLabels(buckets)
  const nth = everyNth(buckets.length, width - inset.left)
  const path = line<number>()
    .x((_, index) => (x(index) ?? 0) + x.bandwidth() / 2)
    .y((value) => y(value))
  return (
    <figure className="chart" ref={ref}>
      <svg role="group" aria-label={title} viewBox={`0 0 ${Math.max(width, 1)} ${height}`} height={height}>
        <defs>
          <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="2.4" height="6" className="fill-ignored" />
          </pattern>
          <pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse">
            <circle cx="1.5" cy="1.5" r="1.3" className="fill-ignored" />
          </pattern>
        </defs>
        {/* Things are counted: there is no half of one. */}
        {y
          .ticks(4)
          .filter(Number.isInteger)
          .map((tick) => (
            <g key={tick} aria-hidden="true">
              <line
                x1={inset.left}
                x2={width - inset.right}
                y1={y(tick)}
                y2={y(tick)}
                className={tick === 0 ? 'tick zero' : 'tick'}
              />
              <text x={inset.left - 6} y={y(tick) + 4} textAnchor="end">
                {Math.abs(tick).toLocaleString('en')}
              </text>
            </g>
          ))}
        {segments.length === 0 && (
          <text x={width / 2} y={(height - bottom) / 2} textAnchor="middle" className="nothing">
            Nothing in this period
          </text>
        )}
        {segments.map((segment) => (
          <Mark
            key={`${segment.series.key} ${segment.index}`}
            label={`${spoken[segment.index]}: ${segment.value.toLocaleString('en')} ${segment.series.label.toLowerCase()}`}
            to={href?.(segment.series, buckets[segment.index]!)}
          >
            <Part segment={segment} x={x(segment.index) ?? 0} width={x.bandwidth()} y={y} />
          </Mark>
        ))}
        {net && segments.length > 0 && <path d={path([...net.values]) ?? ''} className="net" aria-hidden="true" />}
        {segments.length > 0 &&
          net?.values.map((value, index) => (
            <circle
              key={`${buckets[index]?.since}`}
              className="net-dot"
              cx={(x(index) ?? 0) + x.bandwidth() / 2}
              cy={y(value)}
              r="2.5"
            >
              <title>{`${spoken[index]}: ${value} ${net.label}`}</title>
            </circle>
          ))}
        {labels.map(
          (text, index) =>
            index % nth === 0 && (
              <text
                key={buckets[index]!.since}
                aria-hidden="true"
                x={(x(index) ?? 0) + x.bandwidth() / 2}
                y={height - bottom + 16}
                textAnchor="middle"
              >
                {text}
                {under && (
                  <tspan x={(x(index) ?? 0) + x.bandwidth() / 2} dy="16" className="under">
                    {under.texts[index]}
                  </tspan>
                )}
              </text>
            ),
        )}
      </svg>
      <Legend
        series={series}
        net={net?.label}
        under={under?.label}
        part={labels.some((text) => text.endsWith(partMark))}
      />
      <ChartTable
        title={title}
        series={series}
        rows={rows}
        labels={spoken}
        net={net}
        under={under}
        to={href && ((each, index) => href(each, buckets[index]!))}
      />
    </figure>
  )
}

function Part({ segment, x, width, y }: { segment: Segment; x: number; width: number; y: (value: number) => number }) {
  const [a, b] = [y(segment.from), y(segment.to)]
  const height = Math.max(1.5, Math.abs(a - b) - 1)
  return <rect className={segment.series.fill} x={x} y={Math.min(a, b)} width={width} height={height} rx="2" />
}

function Mark({ label, to, children }: { label: string; to: string | undefined; children: ReactNode }) {
  if (to) {
    return (
      <Link to={to} className="mark" aria-label={label}>
        <title>{label}</title>
        {children}
      </Link>
    )
  }
  return (
    <g className="mark" role="img" aria-label={label} tabIndex={0}>
      <title>{label}</title>
      {children}
    </g>
  )
}

type LegendProps = {
  series: readonly Series[]
  net?: string | undefined
  under?: string | undefined
  part?: boolean
}

export function Legend({ series, net, under, part }: LegendProps) {
  return (
    <div className="legend-row">
      {series.map((each) => (
        <span key={each.key}>
          <span className={`swatch ${each.fill}`} /> {each.label}
        </span>
      ))}
      {net && <span>— {net}</span>}
      {under && <span>Below each: {under}</span>}
      {part && <span>{partMark} in part</span>}
    </div>
  )
}

type TableProps = {
  title: string
  series: readonly Series[]
  rows: readonly Row[]
  labels: readonly string[]
  net?: { label: string; values: readonly number[] } | undefined
  under?: Props['under'] | undefined
  to: ((series: Series, index: number) => string | undefined) | undefined
}

/** The same numbers for whoever reads rather than looks. */
function ChartTable({ title, series, rows, labels, net, under, to }: TableProps) {
  return (
    <details className="small">
      <summary className="muted">Show as table</summary>
      <div className="table-wrap">
        <table className="table">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Period</th>
              {series.map((each) => (
                <th key={each.key} scope="col" className="end">
                  {each.label}
                </th>
              ))}
              {net && (
                <th scope="col" className="end">
                  {net.label}
                </th>
              )}
              {under && (
                <th scope="col" className="end">
                  {under.label}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={labels[index]}>
                <th scope="row">{labels[index]}</th>
                {series.map((each) => (
                  <td key={each.key} className="end num">
                    <Cell value={row[each.key] ?? 0} to={to?.(each, index)} />
                  </td>
                ))}
                {net && <td className="end num">{net.values[index]?.toLocaleString('en')}</td>}
                {under && <td className="end num">{under.texts[index]}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function Cell({ value, to }: { value: number; to: string | undefined }) {
  const text = value.toLocaleString('en')
  return to ? <Link to={to}>{text}</Link> : text
}
