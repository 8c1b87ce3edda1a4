import { Link } from '../../ui/link.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { usePathTo } from '../deployment.ts'

export function NotFound() {
  const to = usePathTo()
  return (
    <Page>
      <PageHead title="No such page" />
      <Empty title="This address leads nowhere">
        <p>It may have been mistyped, or what it named is gone.</p>
        <Link to={to()} className="button">
          Go to the overview
        </Link>
      </Empty>
    </Page>
  )
}
