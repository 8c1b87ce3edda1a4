import type { Repository } from '../../src/capabilities/repositories/contract.ts'
import { useAsk } from '../api/ask.ts'
import { download } from '../api/download.ts'
import { asProblem } from '../api/problem.ts'
import { formatSearch } from '../app/address/address.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Menu } from '../ui/overlays/menu.tsx'
import { sayFailure } from '../ui/overlays/toasts.tsx'
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
    ).catch((error) => sayFailure(asProblem(error).message))
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
            <Table
              label="Files of the inventory"
              rows={lockfiles}
              keyOf={(file) => file.path}
              columns={[
                { label: 'File', cell: (file) => <Foreign text={file.path} mono /> },
                { label: 'Format', cell: (file) => file.format },
                { label: 'Dependencies', end: true, cell: (file) => file.dependencyCount.toLocaleString('en') },
                { label: 'Problems', end: true, cell: (file) => file.problemCount.toLocaleString('en') },
                { label: 'Scan', cell: (file) => <Link to={to(`scans/${file.scanId}`)}>#{file.scanId}</Link> },
              ]}
            />
          )
        }
      </Part>
    </Card>
  )
}
