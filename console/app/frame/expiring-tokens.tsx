import { useAsk } from '../../api/ask.ts'
import { Link } from '../../ui/link.tsx'
import { plural } from '../../ui/text/words.ts'
import { useMay, usePathTo } from '../deployment.ts'

/** A reminder in the top bar, for whoever can do something about a token that ends soon. */
export function ExpiringTokens() {
  const to = usePathTo()
  const read = useMay('tokens:read')
  const tokens = useAsk('listExpiringTokens', {}, { enabled: read.may, staleTime: 10 * 60_000 })
  const rows = tokens.data?.tokens ?? []
  if (rows.length === 0) return null
  const page = rows.some((token) => token.isService) ? 'settings/service-accounts' : 'settings/tokens'
  return (
    <Link to={to(page)} className="expiring">
      {plural(rows.length, 'token')} {rows.length === 1 ? 'expires' : 'expire'} soon
    </Link>
  )
}
