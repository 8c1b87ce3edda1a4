import { useAsk, usePages, useReadOn } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import type { Problem } from '../api/problem.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { CodeBlock } from '../findings/panel/code-block.tsx'
import { NotCompared } from '../scans/not-compared.tsx'
import { ScanTable } from '../scans/scan-table.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Empty, ErrorBox, Part, Waiting } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Severity, State } from '../ui/text/marks.tsx'
import { list, plural } from '../ui/text/words.ts'
import { blockingOf, verdictSentence, whyOver } from './verdict.ts'

type Finding = Answer<'searchFindings'>['findings'][number]

/** What a CI log links to: what blocks the pull request, where, and how to get on. */
export default function PullRequestPage({ params }: { params: Record<string, string> }) {
  // Another one begins with nothing: a verdict must not stand for a moment under the number of another.
  return (
    <OnePullRequest
      key={`${params.id} ${params.number}`}
      repositoryId={Number(params.id)}
      number={Number(params.number)}
    />
  )
}

function OnePullRequest({ repositoryId, number }: { repositoryId: number; number: number }) {
  const to = usePathTo()
  const repository = useAsk('getRepository', { params: { repositoryId } })
  const found = useAsk('listPullRequests', { query: { repositoryId, pullRequest: number, pageSize: 1 } })
  const last = found.data?.pullRequests[0]
  const receipt = useAsk('getReceipt', { params: { scanId: last?.lastScanId ?? 0 } }, { enabled: last !== undefined })
  const scans = usePages('listScans', { query: { repositoryId, pullRequest: number, pageSize: 50 } })
  const own = scans.data?.pages.flatMap((page) => page.scans) ?? []
  const findings = usePages(
    'searchFindings',
    {
      body: {
        filter: { repositoryIds: [String(repositoryId)], pullRequest: number },
        sort: { by: 'severity' },
        pageSize: 100,
      },
    },
    { where: 'body' },
  )
  // What blocks it may be the last of many: the verdict speaks of all of them.
  useReadOn(findings)
  const all = findings.data?.pages.flatMap((page) => page.findings) ?? []
  const isRead = findings.data !== undefined && !findings.hasNextPage
  const name = repository.data?.repository.name ?? ''
  return (
    <Page>
      <PageHead
        title={`${plainly(name)} #${number}`}
        back={{ to: to(`repositories/${repositoryId}/pull-requests`), label: 'Pull requests' }}
        {...(last && {
          about: (
            <span className="row">
              <Foreign text={`${last.ref} into ${last.baseRef}`} mono />
              <span className="muted">
                scanned {plural(last.scans, 'time')}, last <Ago at={last.lastScanAt} />
              </span>
            </span>
          ),
        })}
      />
      <Part of={found} lines={6}>
        {() =>
          last ? (
            <>
              <Part of={receipt}>
                {(data) =>
                  last.over ? <Over /> : isRead && <Verdict repositoryId={repositoryId} receipt={data} findings={all} />
                }
              </Part>
              <Part of={findings} lines={6}>
                {() => <Shown findings={all} receipt={receipt.data} />}
              </Part>
              {findings.hasNextPage && <Rest error={findings.error} retry={() => void findings.fetchNextPage()} />}
              <Part of={scans}>
                {() => (
                  <Card title="Scans of it">
                    <ScanTable scans={own} />
                    {scans.hasNextPage && <Button onClick={() => void scans.fetchNextPage()}>Older scans</Button>}
                  </Card>
                )}
              </Part>
            </>
          ) : (
            <Empty title="No scan of this pull request">
              <p>It has not been scanned yet, or you do not see its repository.</p>
            </Empty>
          )
        }
      </Part>
    </Page>
  )
}

/** What of the findings is not here yet, or why it does not come: until then there is no verdict. */
function Rest({ error, retry }: { error: Problem | null; retry: () => void }) {
  return error ? <ErrorBox problem={error} retry={retry} /> : <Waiting />
}

function Over() {
  return (
    <div className="banner" role="status">
      <strong>This pull request is over.</strong>
      <span>{whyOver} What stood open in it no longer counts; another scan of it opens it again.</span>
    </div>
  )
}

type Judged = { repositoryId: number; receipt: Answer<'getReceipt'>; findings: readonly Finding[] }

function Verdict({ repositoryId, receipt, findings }: Judged) {
  const { may } = useMay('findings:triage')
  const policies = useMay('policies:read')
  const [rule, ...more] = receipt.blockedByRules
  const applied = useAsk(
    'getAppliedRules',
    { params: { repositoryId }, query: { rule } },
    { enabled: rule !== undefined && more.length === 0 && policies.may },
  )
  // Policies are about secrets, or about everything else that is not a dependency.
  const isSecret = findings.some((each) => each.ruleId === rule && each.product === 'PRODUCT_TYPE_SECRETS')
  const productType = isSecret ? 'PRODUCT_TYPE_SECRETS' : 'PRODUCT_TYPE_SAST'
  const since = applied.data?.policies.find((each) => each.productType === productType && each.mode === 'block')?.since
  const sentence = verdictSentence(receipt, findings, since)
  const isCompared = receipt.notCompared.length === 0
  return (
    <>
      {(receipt.blocked || isCompared) && (
        <div className={receipt.blocked ? 'banner bad' : 'banner ok'} role="status">
          <strong>
            <Foreign text={sentence} />
          </strong>
          {receipt.blocked && (
            <span>
              Fix what blocks it and push again, or{' '}
              {may ? 'settle it here with a reason' : 'ask a member of a team of this repository to settle it'}; the
              next scan then lets it through.
            </span>
          )}
        </div>
      )}
      <NotCompared receipt={receipt} />
    </>
  )
}

function Shown({ findings, receipt }: { findings: readonly Finding[]; receipt: Answer<'getReceipt'> | undefined }) {
  const { reasons, untold } = receipt ? blockingOf(receipt, findings) : noneBlocks
  const blocking = findings.filter((each) => reasons.has(each.id))
  const others = findings.filter((each) => !blocking.includes(each) && !each.silenced)
  const recorded = findings.filter((each) => !blocking.includes(each) && each.silenced)
  return (
    <>
      {blocking.length > 0 && (
        <Group
          title={plural(blocking.length, 'finding blocks it', 'findings block it')}
          findings={blocking}
          reasons={reasons}
        />
      )}
      {untold > 0 && <p className="muted">{untold.toLocaleString('en')} more of the following block it.</p>}
      {others.length > 0 && <Group title={`${plural(others.length, 'other finding')}`} findings={others} />}
      {recorded.length > 0 && (
        <Group
          title={`${plural(recorded.length, 'finding')} only recorded, not shown in the pull request`}
          findings={recorded}
        />
      )}
      {findings.length === 0 && receipt?.notCompared.length === 0 && <p className="muted">Nothing was found.</p>}
    </>
  )
}

const noneBlocks: ReturnType<typeof blockingOf> = { reasons: new Map(), untold: 0 }

type Grouped = { title: string; findings: readonly Finding[]; reasons?: ReadonlyMap<string, readonly string[]> }

function Group({ title, findings, reasons }: Grouped) {
  const to = usePathTo()
  return (
    <Card title={title}>
      {findings.map((finding) => (
        <article key={finding.id} className="stack tight">
          <div className="row">
            <Severity level={finding.severity} />
            <State state={finding.triageState} />
            <Link to={to(`findings/${finding.id}`)}>
              <Foreign text={finding.title.slice(0, 300)} />
            </Link>
            {finding.ruleId && (
              <span className="small muted">
                <Foreign text={finding.ruleId} mono clamp={120} />
              </span>
            )}
          </div>
          {reasons && <Foreign text={`It blocks, because ${list(reasons.get(finding.id) ?? [])}.`} />}
          {finding.locations[0] ? (
            <CodeBlock
              location={finding.locations[0]}
              aside={finding.ref}
              href={finding.links.file}
              hasCode={!finding.dependency}
            />
          ) : (
            <Foreign text={finding.message} clamp={400} />
          )}
        </article>
      ))}
    </Card>
  )
}
