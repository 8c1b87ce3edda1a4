import type { ReactNode } from 'react'
import { withValues } from '../../app/address/address.ts'
import { goSearch, usePlace } from '../../app/address/location.ts'
import { Button } from '../button.tsx'

/** Says that a list shows only a part, by a word in the address, and how to see all of it. */
export function Narrowed({ name, children }: { name: string; children: ReactNode }) {
  const { pairs } = usePlace()
  return (
    <p className="banner row">
      <span>{children}</span>
      <Button className="push" onClick={() => goSearch(withValues(pairs, name, []))}>
        Show all
      </Button>
    </p>
  )
}
