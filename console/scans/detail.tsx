import { useAsk } from '../api/ask.ts'
import { usePathTo } from '../app/deployment.ts'
import { PerhapsNotVisible } from '../repositories/not-visible.tsx'
import { Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { ReceiptView } from './receipt.tsx'

export default function ScanPage({ params }: { params: Record<string, string> }) {
  const to = usePathTo()
  const asked = useAsk('getReceipt', { params: { scanId: Number(params.id) } }, { keep: false })
  return (
    <Page narrow>
      <PageHead title={`Scan ${params.id}`} back={{ to: to('scans'), label: 'Scans' }} />
      <Part of={asked} lines={6} missing={<PerhapsNotVisible />}>
        {(receipt) => <ReceiptView receipt={receipt} />}
      </Part>
    </Page>
  )
}
