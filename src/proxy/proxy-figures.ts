import type { Disk } from './cache/disk.ts'

export type ProxyFigures = ReturnType<typeof createProxyFigures>

const origins = ['memory', 'disk', 'registry'] as const
const registries = ['public', 'own'] as const

/** What the proxy has done since the start of the process. No label names a tenant, so no registry of one is named either. */
export function createProxyFigures() {
  const artifacts = new Map<string, number>(origins.map((origin) => [origin, 0]))
  const failures = new Map<string, number>(registries.map((registry) => [registry, 0]))

  /** Where an artifact came from that a client asked for. */
  function artifactFrom(origin: (typeof origins)[number]): void {
    artifacts.set(origin, artifacts.get(origin)! + 1)
  }

  function upstreamFailed(registry: (typeof registries)[number]): void {
    failures.set(registry, failures.get(registry)! + 1)
  }

  const gauges = {
    firewall_artifacts: {
      help: 'Artifacts that clients were given since the start, by where they came from',
      label: 'from',
      read: async () => artifacts,
    },
    firewall_upstream_errors: {
      help: 'Requests to registries that failed since the start',
      label: 'registry',
      read: async () => failures,
    },
  }
  return { artifactFrom, upstreamFailed, gauges }
}

export function cacheGauge(disk: Disk) {
  return { firewall_cache_bytes: { help: 'Bytes of the package cache on disk', read: disk.bytes } }
}
