import { NotVisible, useSeesNoRepository } from '../repositories/not-visible.tsx'
import { Empty } from '../ui/states.tsx'
import { FirstScan } from './first-scan.tsx'

/** What a scan would fill, for whoever sees some repository or may bring one; for others, who can help. */
export function NothingYet({ title, about, command }: { title: string; about: string; command?: string }) {
  const seesNone = useSeesNoRepository()
  if (seesNone === undefined) return null
  if (seesNone) return <NotVisible />
  return (
    <Empty title={title}>
      <p>{about}</p>
      <FirstScan {...(command && { command })} />
    </Empty>
  )
}
