import { useEffect } from 'react'
import { go } from '../app/address/location.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { Page, PageHead } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { allowedSections } from './sections.ts'

/** The settings begin with the first part that the person may see. */
export default function SettingsStart() {
  const { permissions, role } = useDeployment()
  const to = usePathTo()
  const [first] = allowedSections(permissions)
  useEffect(() => {
    if (first) go(to(`settings/${first.path}`), { replace: true })
  }, [first, to])
  return (
    <Page>
      <PageHead title="Settings" />
      {!first && (
        <Empty title="Not visible to you">
          <p>The role {role} sees no settings. An owner or admin of the deployment can change it.</p>
        </Empty>
      )}
    </Page>
  )
}
