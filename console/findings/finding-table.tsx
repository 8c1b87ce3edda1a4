import type { Finding } from '../../src/capabilities/findings/finding.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Severity, State } from '../ui/text/marks.tsx'

/** A few findings, as part of another page. */
export function FindingTable({ findings }: { findings: readonly Finding[] }) {
  const to = usePathTo()
  return (
    <div className="table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Severity</th>
            <th scope="col">Finding</th>
            <th scope="col">Where</th>
            <th scope="col">State</th>
            <th scope="col">Raised</th>
          </tr>
        </thead>
        <tbody>
          {findings.map((finding) => (
            <tr key={finding.id}>
              <td>
                <Severity level={finding.severity} />
              </td>
              <td>
                <Link to={to(`findings/${finding.id}`)}>
                  <Foreign text={finding.title.slice(0, 300)} />
                </Link>
              </td>
              <td>
                <Foreign text={finding.path + (finding.startLine > 0 ? `:${finding.startLine}` : '')} mono />
              </td>
              <td>
                <State state={finding.triageState} />
              </td>
              <td>
                <Ago at={finding.raisedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
