import { useAsk } from '../api/ask.ts'
import { usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { NotVisible, useSeesNoRepository } from '../repositories/not-visible.tsx'
import { PeriodChoice } from '../ui/forms/period-choice.tsx'
import { Link } from '../ui/link.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'
import { NoAdvisories } from '../vulnerabilities/no-advisories.tsx'
import { Attention } from './attention.tsx'
import { ActivityCard, FirewallCard, FunnelCard, GuardrailsCard, type ReportInput, RulesCard } from './cards.tsx'
import { Figures } from './figures.tsx'
import { ReportFilterBar } from './report-filter-bar.tsx'
import { overviewFilters } from './report-filters.ts'
import { RepositoriesCard, Standing } from './standing.tsx'

const ofRepositories = ['repo', 'team', 'tag', 'archived']

export default function OverviewPage() {
  const { pairs } = usePlace()
  const input = overviewFilters(pairs, new Date())
  const repositories = useAsk('listRepositories', { query: { pageSize: 1 } })
  const isNew = repositories.data?.repositories.length === 0
  const seesNone = useSeesNoRepository()
  const waysInAbout = seesNone ? undefined : 'Nothing is here yet. Three ways to begin:'
  return (
    <Page narrow={isNew}>
      <PageHead
        title="Overview"
        about={isNew ? waysInAbout : 'What matters, what guardrails caught, and what is left to do.'}
      >
        {!isNew && <PeriodChoice period={input.period} pairs={pairs} />}
      </PageHead>
      {!isNew && <ReportFilterBar pairs={pairs} />}
      {isNew ? (
        <>
          {seesNone ? <NotVisible /> : <WaysToScan />}
          <FirewallWay />
        </>
      ) : (
        <>
          <NoAdvisories />
          <Attention />
          <Figures {...input} />
          <div className="cards">
            <FunnelCard {...input} />
            <GuardrailsCard {...input} />
          </div>
          <Trends {...input} />
          {/* Who fetches a package belongs to no repository. */}
          {!pairs.some(([name]) => ofRepositories.includes(name)) && <FirewallCard period={input.period} />}
        </>
      )}
    </Page>
  )
}

/** Whether it is getting better, and where it is not. */
function Trends(input: ReportInput) {
  const asked = useAsk('reportTrends', { body: { filters: input.filters, by: 'repository' } })
  return (
    <>
      <div className="cards">
        <ActivityCard {...input} />
        <Part of={asked} lines={6}>
          {(trends) => <Standing trends={trends} more={input.period.more} />}
        </Part>
      </div>
      <div className="cards">
        <RulesCard {...input} />
        <Part of={asked} lines={6}>
          {(trends) => <RepositoriesCard trends={trends} more={input.period.more} />}
        </Part>
      </div>
    </>
  )
}

/** Nothing yet: the ways in, each with its command, whole. */
function WaysToScan() {
  const to = usePathTo()
  const origin = location.origin
  return (
    <>
      <Card title="Scan a repository">
        <p className="muted">
          Finds every lockfile and bill of materials and uploads them. The token is{' '}
          <Link to={to('settings/tokens')}>an API token that you make</Link>.
        </p>
        <CopyLine
          label="the command that scans"
          text={`export GATEHOUSE_URL=${origin} GATEHOUSE_TOKEN=gth_…\nnpm install --global ${origin}/cli.tgz\ngatehouse scan . --repository group/project --ref main`}
        />
        <p>
          <Link to={to('scans/upload')} className="button">
            Or drop a file here
          </Link>
        </p>
      </Card>
      <Card title="In CI">
        <p className="muted">
          Every push and pull request, with SARIF logs of your scanners. Builds need no stored token once you{' '}
          <Link to={to('settings/ci-trusts')}>trust their CI</Link>.
        </p>
        <CopyLine
          label="the command for CI"
          text={'gatehouse upload results.sarif package-lock.json --repository group/project --ref main'}
        />
      </Card>
    </>
  )
}

function FirewallWay() {
  const to = usePathTo()
  return (
    <Card title="Through the firewall">
      <p className="muted">Point npm, pip, Maven, Cargo or Go at Gatehouse, and malicious packages stay out.</p>
      <p>
        <Link to={to('firewall/set-up')} className="button">
          Set up a client
        </Link>
      </p>
    </Card>
  )
}
