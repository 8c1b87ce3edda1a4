import type { Receipt } from '../../src/capabilities/scans/contract.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Exact, Tag } from '../ui/text/marks.tsx'
import { label, list, plural } from '../ui/text/words.ts'
import { NoAdvisories } from '../vulnerabilities/no-advisories.tsx'
import { NotCompared } from './not-compared.tsx'
import { ScanSubject } from './scan-table.tsx'
import { SourceShown } from './source.tsx'

const statusTone = { READ: 'ok', UNCHANGED: undefined, UNREADABLE: 'bad', UNRECOGNISED: 'warn' } as const

/** What became of an upload, file by file. */
export function ReceiptView({ receipt }: { receipt: Receipt }) {
  const { scan } = receipt
  const to = usePathTo()
  return (
    <>
      {receipt.blocked && (
        <div className="banner bad" role="status">
          <strong>Blocked by</strong>
          <Foreign
            text={
              list([
                ...receipt.blockedBy.map((each) => `automation ${each.name}`),
                ...receipt.blockedByRules.map((rule) => `rule ${rule}`),
              ]) || 'a policy'
            }
          />
        </div>
      )}
      <NotCompared receipt={receipt} />
      {receipt.repeated && <p className="banner">The same upload was taken before; this is its receipt.</p>}
      {scan.dependencyCount > 0 && <NoAdvisories />}
      <Card title="Scan">
        <dl className="facts">
          <dt>Repository</dt>
          <dd>
            <Link to={to(`repositories/${scan.repositoryId}`)}>
              <Foreign text={scan.repository} />
            </Link>{' '}
            {receipt.createdRepository && <Tag>made by this upload</Tag>}
            {receipt.repositoryArchived && <Tag tone="warn">Archived: not counted as open</Tag>}
          </dd>
          <dt>Of</dt>
          <dd>
            <ScanSubject scan={scan} />
            {receipt.part !== '' && (
              <>
                , only <Foreign text={receipt.part} mono />
              </>
            )}
          </dd>
          <dt>Commit</dt>
          <dd className="mono">{scan.commit || '—'}</dd>
          <dt>Tool</dt>
          <dd>{scan.tool ? <Foreign text={scan.tool} /> : '—'}</dd>
          <dt>Source</dt>
          <dd>
            <SourceShown source={scan.source} />
          </dd>
          <dt>When</dt>
          <dd>
            <Exact at={scan.performedAt} />
          </dd>
          <dt>Result</dt>
          <dd>
            {plural(scan.dependencyCount, 'dependency', 'dependencies')}, {plural(scan.findingCount, 'finding')},{' '}
            {plural(scan.problemCount, 'problem')}
            {scan.isInventory && '; it became the inventory'}
          </dd>
          {receipt.fixedAdvisoryFindings > 0 && (
            <>
              <dt>Fixed</dt>
              <dd>{plural(receipt.fixedAdvisoryFindings, 'finding')} about vulnerable or malicious packages</dd>
            </>
          )}
          <dt>Still open</dt>
          <dd>{plural(receipt.openAdvisoryFindings, 'finding')} about vulnerable or malicious packages</dd>
        </dl>
      </Card>
      <Card title={plural(receipt.files.length, 'file')}>
        {receipt.files.map((file) => (
          <FileRow key={file.path} file={file} />
        ))}
      </Card>
      {receipt.pastFirewall.length > 0 && (
        <Card title="Past the firewall">
          <p>Clients ask these hosts whatever registry is set, so nobody judges what comes from there.</p>
          <ul className="stack tight">
            {receipt.pastFirewall.map((each) => (
              <li key={`${each.path} ${each.host}`}>
                <Foreign text={`${each.path}:${each.line}`} mono /> names <Foreign text={each.host} mono />{' '}
                {each.count === 1 ? 'once' : `${each.count} times`}, for example{' '}
                <Foreign text={each.example} mono clamp={120} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {receipt.removedPaths.length > 0 && (
        <Card title={`${plural(receipt.removedPaths.length, 'file')} no longer there`}>
          <ul className="stack tight">
            {receipt.removedPaths.map((path) => (
              <li key={path}>
                <Foreign text={path} mono />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function FileRow({ file }: { file: Receipt['files'][number] }) {
  const status = file.status.replace('FILE_STATUS_', '') as keyof typeof statusTone
  const { raised, reopened, fixed, total, undetermined } = file.findings
  return (
    <article className="stack tight">
      <div className="row">
        <Foreign text={file.path} mono />
        <Tag tone={statusTone[status]}>{label(status.toLowerCase())}</Tag>
        {file.format && <span className="muted small">{file.format}</span>}
        <span className="push small muted num">
          {file.dependencies > 0 && `${plural(file.dependencies, 'dependency', 'dependencies')} `}
          {total > 0 &&
            `${plural(total, 'finding')}: ${raised} raised, ${reopened} reopened, ${fixed} fixed${undetermined > 0 ? `, ${undetermined} not compared` : ''}`}
        </span>
      </div>
      {file.keptPrevious && <p className="small muted">What an earlier scan read from this path was kept.</p>}
      {file.problems.length > 0 && (
        <ul className="stack tight small">
          {file.problems.map((problem) => (
            <li key={`${problem.code}${problem.line}${problem.pointer}`}>
              <Tag tone={problem.fatal ? 'bad' : 'warn'}>{problem.code}</Tag>{' '}
              {problem.line > 0 && <span className="mono">line {problem.line} </span>}
              <Foreign text={problem.detail} clamp={300} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
