import { pathPart } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { plural } from '../ui/text/words.ts'

const pages: Record<string, string> = { finding: 'findings', issue: 'issues' }
const most = 5

/** What an action is about: the first few as links, and how many there are. */
export function Subjects({ count, subjects }: { count: number; subjects: readonly string[] }) {
  const to = usePathTo()
  return (
    <span>
      {plural(count, 'thing')}
      {subjects.slice(0, most).map((subject) => {
        const [kind = '', ...rest] = subject.split(':')
        const id = rest.join(':')
        const page = pages[kind]
        return (
          <span key={subject}>
            {' · '}
            {page ? <Link to={to(`${page}/${pathPart(id)}?state=any`)}>{`${kind} ${id}`}</Link> : `${kind} ${id}`}
          </span>
        )
      })}
      {subjects.length > most && ' …'}
    </span>
  )
}
