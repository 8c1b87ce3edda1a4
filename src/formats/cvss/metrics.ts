/** The metrics of a vector by their short names; undefined where it is none, or names one twice. */
export function readMetrics(text: string): ReadonlyMap<string, string> | undefined {
  const metrics = new Map<string, string>()
  for (const part of text.split('/')) {
    const [name, value, ...rest] = part.split(':')
    if (!name || !value || rest.length > 0 || metrics.has(name)) return undefined
    metrics.set(name, value)
  }
  return metrics
}

/** What a metric weighs; NaN where the vector does not have it, or not with such a value. */
export function weigh(metrics: ReadonlyMap<string, string>, name: string, weights: Record<string, number>): number {
  const value = metrics.get(name)
  return value !== undefined && Object.hasOwn(weights, value) ? weights[value]! : Number.NaN
}
