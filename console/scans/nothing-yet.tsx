import { NotVisible, useSeesNoRepository } from '../repositories/not-visible.tsx'
import { Empty } from '../ui/states.tsx'
import { FirstScan } from './first-scan.tsx'

type Props = { title: string; about: string; command?: string; label?: string }

/** What a scan would fill, for whoever sees some repository or may bring one; for others, who can help. */
export function NothingYet({ title, about, command, label }: Props) {
  const seesNone = useSeesNoRepository()
  if (seesNone === undefined) return null
  if (seesNone) return <NotVisible />
  return (
    <Empty title={title}>
      <p>{about}</p>
      <FirstScan {...(command && { command })} {...(label && { label })} />
    </Empty>
  )
}
