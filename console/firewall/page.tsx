import type { ReactNode } from 'react'
import { useAsk } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { periodPairs, readPeriod } from '../app/address/period.ts'
import { usePathTo } from '../app/deployment.ts'
import { NotFound } from '../app/frame/not-found.tsx'
import { Page, PageHead, Tabs } from '../ui/page.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Activity } from './activity.tsx'
import { Blocked } from './blocked.tsx'
import { Exceptions } from './exceptions/exceptions.tsx'
import { Exposures } from './exposures.tsx'
import { Held } from './held.tsx'
import { PrivateNames } from './names/names.tsx'
import { Overrides } from './overrides.tsx'
import { Refused } from './refusals/refused.tsx'
import { Rules } from './rules/rules.tsx'
import { SetUp } from './set-up.tsx'
import { FirewallSettings } from './settings.tsx'

const tabs = {
  activity: { label: 'Activity', Part: Activity },
  blocked: { label: 'Blocked', Part: Blocked },
  exposures: { label: 'Exposures', Part: Exposures },
  held: { label: 'Held', Part: Held },
  exceptions: { label: 'Exceptions', Part: Exceptions },
  rules: { label: 'Rules', Part: Rules },
  overrides: { label: 'Overrides', Part: Overrides },
  names: { label: 'Private names', Part: PrivateNames },
  settings: { label: 'Settings', Part: FirewallSettings },
  'set-up': { label: 'Set up a client', Part: SetUp },
} as const

export default function FirewallPage({ params: { tab = 'activity' } }: { params: Record<string, string> }) {
  if (tab === 'refused') return <Firewall Part={Refused} />
  return Object.hasOwn(tabs, tab) ? <Firewall current={tab} Part={tabs[tab as keyof typeof tabs].Part} /> : <NotFound />
}

/** No tab leads to the page that refusals link to. */
function Firewall({ current, Part }: { current?: string; Part: () => ReactNode }) {
  const to = usePathTo()
  const { pairs } = usePlace()
  // Through every tab, so that it is the same when somebody comes back.
  const period = formatSearch(periodPairs(readPeriod(pairs, new Date())))
  return (
    <Page>
      <PageHead
        title="Malware firewall"
        about="What packages came in, what was refused and why, and what a person has to decide."
      />
      <Advice />
      <Tabs
        label="Parts of the firewall"
        tabs={Object.entries(tabs).map(([name, { label }]) => ({
          to: to(name === 'activity' ? 'firewall' : `firewall/${name}`) + period,
          label,
          current: name === current,
        }))}
      />
      <Part />
    </Page>
  )
}

/** When advisories are missing or old, everything else here means less. */
function Advice() {
  const { data } = useAsk('getFirewallState', {})
  if (!data?.advice) return null
  return (
    <p className="banner" role="status">
      <strong>{data.ready ? 'The advisories are old.' : 'The advisories are not complete.'}</strong>{' '}
      <Foreign text={data.advice} />
    </p>
  )
}
