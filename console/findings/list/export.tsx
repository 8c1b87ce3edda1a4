import { call } from '../../api/call.ts'
import { fetchFile } from '../../api/download.ts'
import { asProblem } from '../../api/problem.ts'
import { useDeployment } from '../../app/deployment.ts'
import { Icon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import type { FindingFilter } from '../groups/lines.ts'

type Format = 'csv' | 'json' | 'sarif'

/** The filtered list, all of it: the browser writes it to disk as it comes, however much it is. */
export async function exportFindings(deploymentId: number, filter: FindingFilter, format: Format): Promise<void> {
  say('The export is being made.')
  try {
    const day = new Date().toISOString().slice(0, 10)
    const { path } = await call('prepareExport', { params: { deploymentId }, body: { format, filter } })
    fetchFile(path, `findings-${day}.${format}`)
  } catch (error) {
    say(`No export: ${asProblem(error).message}`)
  }
}

export function ExportMenu({ filter }: { filter: FindingFilter }) {
  const { id } = useDeployment()
  const item = (format: Format, label: string, key?: string) => ({
    label,
    key,
    run: () => void exportFindings(id, filter, format),
  })
  return (
    <Menu
      label="Export the filtered list"
      items={[item('csv', 'CSV', 'e'), item('json', 'JSON'), item('sarif', 'SARIF 2.1.0')]}
    >
      <Icon name="down_to" /> Export
    </Menu>
  )
}
