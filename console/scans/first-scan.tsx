import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'

type Props = { label?: string; command?: string }

/** What fills an empty list: a command, where to get it, and the way without one. */
export function FirstScan({
  label = 'the command that scans',
  command = 'gatehouse scan . --repository group/project --ref main',
}: Props) {
  const to = usePathTo()
  return (
    <>
      <CopyLine label={label} text={command} />
      <p className="small">
        <Link to={to('')}>Get the command</Link> first, or <Link to={to('scans/upload')}>drop a file</Link> without it.
      </p>
    </>
  )
}
