import { usePages } from '../api/ask.ts'
import { ScanTable } from '../scans/scan-table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'

export function ScansTab({ repositoryId }: { repositoryId: number }) {
  const pages = usePages('listScans', { query: { repositoryId, pageSize: 50 } })
  return (
    <Card title="Scans">
      <Part of={pages}>{(data) => <ScanTable scans={data.pages.flatMap((page) => page.scans)} />}</Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older scans</Button>}
    </Card>
  )
}
