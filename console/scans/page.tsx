import { usePages } from '../api/ask.ts'
import { firstOf, withValues } from '../app/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { go, goSearch, usePlace } from '../app/location.ts'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { Icon } from '../ui/icons.tsx'
import { useTitle } from '../ui/page.tsx'
import { ListHead, PagedList } from '../ui/paged-list.tsx'
import { Empty } from '../ui/states.tsx'
import { scanColumns } from './columns.tsx'

const kinds = [
  ['', 'All'],
  ['full', 'Branches'],
  ['pull-request', 'Pull requests'],
] as const
const wire = { full: 'SCAN_KIND_FULL', 'pull-request': 'SCAN_KIND_PULL_REQUEST' } as const

export default function ScansPage() {
  useTitle('Scans')
  const to = usePathTo()
  const { pairs } = usePlace()
  const { why } = useMay('scans:write')
  const kind = wire[firstOf(pairs, 'kind') as keyof typeof wire] as (typeof wire)[keyof typeof wire] | undefined
  const pages = usePages('listScans', { query: { pageSize: 100, ...(kind && { kind }) } })
  const rows = pages.data?.pages.flatMap((page) => page.scans) ?? []
  return (
    <>
      <ListHead title="Scans">
        <fieldset className="segments">
          <legend className="visually-hidden">Kind</legend>
          {kinds.map(([word, text]) => (
            <button
              key={word}
              type="button"
              aria-pressed={(firstOf(pairs, 'kind') ?? '') === word}
              onClick={() => goSearch(withValues(pairs, 'kind', word ? [word] : []))}
            >
              {text}
            </button>
          ))}
        </fieldset>
        <Button look="primary" className="push" why={why} onClick={() => go(to('scans/upload'))}>
          <Icon name="up_from" /> Upload
        </Button>
      </ListHead>
      <PagedList
        label="Scans"
        pages={pages}
        rows={rows}
        columns={scanColumns}
        keyOf={(row) => String(row.id)}
        to={(row) => to(`scans/${row.id}`)}
        empty={
          <Empty title="No scans yet">
            <p>Send lockfiles, bills of materials or SARIF logs, from a terminal, from CI or by dropping them.</p>
            <CopyLine label="the command" text="gatehouse scan . --repository group/project --ref main" />
          </Empty>
        }
      />
    </>
  )
}
