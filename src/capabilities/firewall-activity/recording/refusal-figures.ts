/** How often this process has refused something, by what decided it. No label names a tenant. */
export function createRefusalFigures() {
  const counts = new Map<string, number>()

  function count(rule: string): void {
    counts.set(rule, (counts.get(rule) ?? 0) + 1)
  }

  const help = 'Packages that were refused since the start, by what decided it'
  return { count, gauges: { firewall_refusals: { help, label: 'rule', read: async () => counts } } }
}
