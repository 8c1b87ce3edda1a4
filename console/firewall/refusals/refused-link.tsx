import { useEffect } from 'react'
import { useSessionState } from '../../api/session.ts'
import { firstOf, formatSearch } from '../../app/address/address.ts'
import { go, usePlace } from '../../app/address/location.ts'
import { Page, PageHead } from '../../ui/page.tsx'
import { Empty, Waiting } from '../../ui/states.tsx'

/** Where refusals link to: they know the deployment by its number, its pages are found by its slug. */
export default function RefusedLink() {
  const { deployments } = useSessionState().session!
  const { pairs } = usePlace()
  const slug = deployments.find(({ id }) => String(id) === firstOf(pairs, 'deployment'))?.slug
  const kept = formatSearch(pairs.filter(([name]) => name !== 'deployment'))
  useEffect(() => {
    if (slug) go(`/d/${slug}/firewall/refused${kept}`, { replace: true })
  }, [slug, kept])
  if (slug) return <Waiting />
  return (
    <Page narrow>
      <PageHead title="Refused package" />
      <Empty title="There is no such deployment, or you are not in it">
        <p>Open the address of the refusal, whole, as a person of the deployment that refused it.</p>
      </Empty>
    </Page>
  )
}
