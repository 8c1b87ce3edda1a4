import { stack, stackOffsetDiverging, stackOffsetNone, stackOrderNone } from 'd3-shape'

export type Series = { key: string; label: string; fill: string /** Drawn below the line. */; down?: boolean }
export type Row = Record<string, number>
export type Segment = { series: Series; index: number; value: number; from: number; to: number }

/** Every part of every bar that is not zero, from where to where. What goes down is below zero. */
export function segmentsOf(series: readonly Series[], rows: readonly Row[]): Segment[] {
  const diverging = series.some((each) => each.down)
  const signed = new Map(series.map((each) => [each.key, each.down ? -1 : 1]))
  const layout = stack<Row, string>()
    .keys(series.map((each) => each.key))
    .value((row, key) => (row[key] ?? 0) * signed.get(key)!)
    .order(stackOrderNone)
    .offset(diverging ? stackOffsetDiverging : stackOffsetNone)
  return layout([...rows]).flatMap((points, at) =>
    points.flatMap((point, index) => {
      const value = rows[index]![series[at]!.key] ?? 0
      return value === 0 ? [] : [{ series: series[at]!, index, value, from: point[0], to: point[1] }]
    }),
  )
}

export function extentOf(segments: readonly Segment[], more: readonly number[] = []): [number, number] {
  const all = segments.flatMap((segment) => [segment.from, segment.to]).concat(more, [0])
  const [low, high] = [Math.min(...all), Math.max(...all)]
  return low === 0 && high === 0 ? [0, 1] : [low, high]
}
