import { packages } from '../scans/packages.ts'
import type { SimulatedServices } from '../simulated-services.ts'

export type Artifact = { ecosystem: 'npm' | 'pypi' | 'maven'; name: string; version: string }

const of = (ecosystem: Artifact['ecosystem'], name: string, ...versions: string[]): Artifact[] =>
  versions.map((version) => ({ ecosystem, name, version }))

/** What developers and builds ask for, day by day. */
export const ordinary: Artifact[] = (['npm', 'pypi', 'maven'] as const).flatMap((ecosystem) =>
  packages[ecosystem].flatMap(({ name, versions }) =>
    // What turned out to be malicious was asked for on one day only.
    of(ecosystem, name, ...versions.filter((version) => name !== 'meadow-dates' || version !== '2.2.0')),
  ),
)

/** What somebody mistyped, or a build took that nobody had pinned. */
export const malicious: Artifact[] = [
  ...of('npm', 'meadow-colours', '1.4.1'),
  ...of('npm', 'expresss', '4.0.0', '4.0.1'),
  ...of('npm', 'lodahs', '4.17.22'),
  ...of('pypi', 'reqeusts', '2.32.4'),
  ...of('maven', 'org.apache.loging:log4j-core', '2.24.2'),
]

/** Fetched before anybody knew what they are. */
export const laterAccused = {
  dates: { ecosystem: 'npm', name: 'meadow-dates', version: '2.2.0' },
  icons: { ecosystem: 'npm', name: 'meadow-icons', version: '0.9.3' },
} satisfies Record<string, Artifact>

/** Came out this morning. The charts run a script when they are installed, which they never did before. */
export const justOut = {
  charts: { ecosystem: 'npm', name: 'meadow-charts', version: '3.1.0' },
  forecast: { ecosystem: 'pypi', name: 'meadow-forecast', version: '1.5.0' },
} satisfies Record<string, Artifact>

/** Denied by the company; an old tool wants it. */
export const eventStream: Artifact = { ecosystem: 'npm', name: 'event-stream', version: '4.0.1' }

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

export function publishPackages({ npm, pypi, maven, cargo, go }: SimulatedServices): void {
  npm.publish({ name: justOut.charts.name, version: '3.0.2', publishedAt: '2025-03-01T00:00:00.000Z' })
  npm.publish({
    ...justOut.charts,
    manifest: { scripts: { postinstall: 'node collect.js' }, hasInstallScript: true },
    publishedAt: hoursAgo(3),
  })
  pypi.publish({ name: justOut.forecast.name, version: '1.4.0' })
  pypi.publish({ ...justOut.forecast, publishedAt: hoursAgo(5) })
  cargo.publish({ name: 'itoa', version: '1.0.15' })
  go.publish({ module: 'golang.org/x/text', version: 'v0.30.0' })
  for (const { ecosystem, name, version } of [...ordinary, ...malicious, ...Object.values(laterAccused), eventStream]) {
    if (ecosystem === 'npm') npm.publish({ name, version })
    else if (ecosystem === 'pypi') pypi.publish({ name, version })
    else maven.publish({ ...coordinates(name), version })
  }
}

/** Where a client asks the firewall for it. */
export function addressOf(deploymentId: number, { ecosystem, name, version }: Artifact): string {
  const base = `/firewall/${deploymentId}/${ecosystem}`
  if (ecosystem === 'npm') return `${base}/${name}/-/${name}-${version}.tgz`
  if (ecosystem === 'pypi') return `${base}/simple/${name}/${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`
  const { group, artifact } = coordinates(name)
  return `${base}/${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.jar`
}

function coordinates(name: string): { group: string; artifact: string } {
  const [group, artifact] = name.split(':') as [string, string]
  return { group, artifact }
}
