const registries = ['public', 'own'] as const

/** Requests to registries that failed, for the metrics. No label names a tenant, so no registry of one is named either. */
export function createUpstreamErrors() {
  const failures = new Map<string, number>(registries.map((registry) => [registry, 0]))

  function note(registry: (typeof registries)[number]): void {
    failures.set(registry, failures.get(registry)! + 1)
  }

  const figures = {
    upstream_errors_total: {
      help: 'Requests to registries that failed',
      label: 'registry',
      isCounter: true,
      read: () => failures,
    },
  }
  return { note, figures }
}
