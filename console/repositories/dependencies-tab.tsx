import type { Repository } from '../../src/capabilities/repositories/contract.ts'
import { useAsk } from '../api/ask.ts'
import { download } from '../api/download.ts'
import { asProblem } from '../api/problem.ts'
import { formatSearch } from '../app/address/address.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/overlays/menu.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'

export function DependenciesTab({ repository }: { repository: Repository }) {
  const to = usePathTo()
  const { id: deploymentId } = useDeployment()
  const files = useAsk('listLockfiles', { params: { repositoryId: repository.id } })
  const save = (format: 'cyclonedx' | 'spdx') => () =>
    void download(
      'exportSbom',
      { params: { deploymentId, repositoryId: repository.id }, query: { format } },
      `${repository.name.replaceAll('/', '-')}-${format}.json`,
    ).catch((error) => say(asProblem(error).message))
  return (
    <Card
      title="Files of the inventory"
      aside={<Link to={to(`dependencies${formatSearch([['repo', String(repository.id)]])}`)}>All dependencies</Link>}
    >
      <div>
        <Menu
          label="Bill of materials"
          items={[
            { label: 'CycloneDX 1.6', run: save('cyclonedx') },
            { label: 'SPDX 2.3', run: save('spdx') },
          ]}
        >
          <Icon name="down_to" /> Bill of materials
        </Menu>
      </div>
      <Part of={files}>
        {({ lockfiles }) =>
          lockfiles.length === 0 ? (
            <p className="muted">No full scan of the default branch has brought a lockfile or bill of materials yet.</p>
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">File</th>
                  <th scope="col">Format</th>
                  <th scope="col" className="end">
                    Dependencies
                  </th>
                  <th scope="col" className="end">
                    Problems
                  </th>
                  <th scope="col">Scan</th>
                </tr>
              </thead>
              <tbody>
                {lockfiles.map((file) => (
                  <tr key={file.path}>
                    <td>
                      <Foreign text={file.path} mono />
                    </td>
                    <td>{file.format}</td>
                    <td className="end num">{file.dependencyCount.toLocaleString('en')}</td>
                    <td className="end num">{file.problemCount.toLocaleString('en')}</td>
                    <td>
                      <Link to={to(`scans/${file.scanId}`)}>#{file.scanId}</Link>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Part>
    </Card>
  )
}
