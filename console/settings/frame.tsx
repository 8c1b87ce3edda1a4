import { type ReactNode, useRef } from 'react'
import { usePlace } from '../app/address/location.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { useCurrentInSight } from '../ui/in-sight.ts'
import { Link } from '../ui/link.tsx'
import { Page, PageHead } from '../ui/page.tsx'
import { allowedSections } from './sections.ts'

type Props = {
  title: string
  about?: ReactNode
  actions?: ReactNode
  back?: { to: string; label: string }
  children: ReactNode
}

/** A part of the settings, beside the names of the others. */
export function SettingsPage({ title, about, actions, back, children }: Props) {
  const { permissions } = useDeployment()
  const to = usePathTo()
  const { path } = usePlace()
  const row = useRef<HTMLElement>(null)
  useCurrentInSight(row, path)
  return (
    <Page>
      <div className="columns">
        <nav ref={row} className="side-nav" aria-label="Settings">
          {allowedSections(permissions).map((section) => {
            const address = to(`settings/${section.path}`)
            const current = path === address || path.startsWith(`${address}/`)
            return (
              <Link key={section.path} to={address} aria-current={current ? 'page' : undefined}>
                {section.label}
              </Link>
            )
          })}
        </nav>
        <div className="stack loose">
          <PageHead title={title} about={about} {...(back && { back })}>
            {actions}
          </PageHead>
          {children}
        </div>
      </div>
    </Page>
  )
}
