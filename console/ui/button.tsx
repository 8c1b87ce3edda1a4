import type { ButtonHTMLAttributes } from 'react'
import { plainly } from './text/foreign-text.ts'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: 'primary' | 'plain' | 'danger' | 'icon'
  /** Why it cannot be pressed now. It stays focusable, so that everybody can find out. */
  why?: string | undefined
}

export function Button({ look, why, className, onClick, title, type = 'button', 'aria-label': label, ...rest }: Props) {
  const classes = ['button', look === 'icon' ? 'icon plain' : look, className].filter(Boolean).join(' ')
  return (
    <button
      type={type}
      className={classes}
      title={why ?? title}
      // It often has the name of what the button is about.
      aria-label={label && plainly(label)}
      aria-disabled={why ? true : undefined}
      onClick={(event) => {
        if (why) event.preventDefault()
        else onClick?.(event)
      }}
      {...rest}
    />
  )
}
