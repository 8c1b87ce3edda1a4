import { useAsk } from '../api/ask.ts'
import { usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { PeriodChoice } from '../ui/forms/period-choice.tsx'
import { Link } from '../ui/link.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'
import { Attention } from './attention.tsx'
import { ActivityCard, FirewallCard, FunnelCard, GuardrailsCard, RulesCard } from './cards.tsx'
import { Figures } from './figures.tsx'
import { reportFilters } from './report-filters.ts'

export default function OverviewPage() {
  const { pairs } = usePlace()
  const input = reportFilters(pairs, new Date())
  const repositories = useAsk('listRepositories', { query: { pageSize: 1 } })
  const isNew = repositories.data?.repositories.length === 0
  return (
    <Page>
      <PageHead title="Overview" about="What matters, what guardrails caught, and what is left to do.">
        <PeriodChoice period={input.period} pairs={pairs} />
      </PageHead>
      {isNew ? (
        <WaysIn />
      ) : (
        <>
          <Attention />
          <Figures {...input} />
          <div className="cards">
            <FunnelCard {...input} />
            <GuardrailsCard {...input} />
          </div>
          <div className="cards uneven">
            <ActivityCard {...input} />
            <RulesCard {...input} />
          </div>
          <FirewallCard period={input.period} />
        </>
      )}
    </Page>
  )
}

/** Nothing yet: the three ways in, each with its command. */
function WaysIn() {
  const to = usePathTo()
  const origin = location.origin
  return (
    <div className="cards three">
      <Card title="Scan a repository">
        <p className="muted">Finds every lockfile and bill of materials and uploads them.</p>
        <CopyLine
          label="the command that scans"
          text={`export GATEHOUSE_URL=${origin} GATEHOUSE_TOKEN=gth_…\nnpm install --global ${origin}/cli.tgz\ngatehouse scan . --repository group/project --ref main`}
        />
        <p>
          Or <Link to={to('scans/upload')}>drop a file here</Link>.
        </p>
      </Card>
      <Card title="In CI">
        <p className="muted">Every push and pull request, with SARIF logs of your scanners.</p>
        <CopyLine
          label="the command for CI"
          text={'gatehouse upload results.sarif package-lock.json --repository group/project --ref main'}
        />
      </Card>
      <Card title="Through the firewall">
        <p className="muted">Point npm, pip, Maven, Cargo or Go at Gatehouse, and malicious packages stay out.</p>
        <p>
          <Link to={to('firewall/set-up')} className="button">
            Set up a client
          </Link>
        </p>
      </Card>
    </div>
  )
}
