import { useAsk } from '../api/ask.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'

/** Whether dependencies are compared with nothing, so that finding nothing says nothing. Undefined: not known yet. */
export function useNoAdvisories(): boolean | undefined {
  const { data, isError } = useAsk('getVulnerabilityFeeds')
  return isError ? false : data?.feeds.every(({ records }) => records === 0)
}

export function NoAdvisories() {
  const to = usePathTo()
  return useNoAdvisories() ? (
    <p className="banner bad" role="status">
      <span>
        No advisories about vulnerabilities are loaded, so no dependency is known to be vulnerable or not. The operator
        of Gatehouse sets <code>GATEHOUSE_VULNERABILITY_FEED</code>. <Link to={to('settings/system')}>Feeds</Link>
      </span>
    </p>
  ) : null
}
