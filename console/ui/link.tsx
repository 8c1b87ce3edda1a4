import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { go } from '../app/address/location.ts'
import { preload } from '../app/preload.ts'
import { plainly } from './text/foreign-text.ts'

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & {
  to: string
  replace?: boolean
  children: ReactNode
}

/** A link inside the console: a real address, so it opens in another tab too, and a page without a reload. */
export function Link({ to, replace, onClick, 'aria-label': label, ...rest }: Props) {
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    event.preventDefault()
    go(to, { replace: replace ?? false })
  }
  return (
    <a
      href={to}
      onClick={open}
      onPointerEnter={() => preload(to)}
      onFocus={() => preload(to)}
      aria-label={label && plainly(label)}
      {...rest}
    />
  )
}
