import { useAsk } from '../api/ask.ts'
import type { Answer, Params } from '../api/contracts.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { VersionStrip } from '../charts/version-strip.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import type { ListProps } from './list-props.ts'

type Ecosystem = Params<'getPackage'>['ecosystem']
type Version = Answer<'getPackage'>['package']['versions'][number]

/** One package: its versions in their order, with those shaded that were asked for. */
export function VersionView({ question, filter, empty }: ListProps) {
  const to = usePathTo()
  const { ecosystem, name, from, below } = question
  const known = useAsk('getPackage', { params: { ecosystem: ecosystem as Ecosystem, name } }, { keep: false })
  // Of the range alone: whoever brings a version in does not change where it stands.
  const { packageFilters, ecosystem: only } = filter
  const asked = useAsk(
    'searchPackages',
    {
      body: {
        dependencyFilter: { ...(packageFilters && { packageFilters }), ...(only && { ecosystem: only }) },
        pageSize: 1,
      },
    },
    { enabled: Boolean(from || below) },
  )
  if (known.error?.status === 404) return <div className="main-part">{empty}</div>
  const range = from || below ? asked.data?.packages[0] : undefined
  return (
    <div className="main-part">
      <Part of={known} lines={4}>
        {({ package: found }) => (
          <Card title="Versions in use" aside={`oldest to latest, by the order of ${plainly(ecosystem)}`}>
            <VersionStrip
              title={plainly(`Versions of ${name} in use`)}
              versions={found.versions.toReversed()}
              advisories={found.vulnerabilities}
              asked={range && inRange(found.versions, range.versions[0]?.version, range.versionCount)}
              href={(version) =>
                to(
                  `dependencies${formatSearch([
                    ['ecosystem', ecosystem],
                    ['package', `${name}@${version}`],
                  ])}`,
                )
              }
            />
          </Card>
        )}
      </Part>
    </div>
  )
}

/** Versions of a range stand beside each other: those from the latest of them on, as many as there are. */
function inRange(latestFirst: readonly Version[], latest: string | undefined, count: number): ReadonlySet<string> {
  const start = latestFirst.findIndex(({ version }) => version === latest)
  return new Set(start < 0 ? [] : latestFirst.slice(start, start + count).map(({ version }) => version))
}
