import type { ButtonHTMLAttributes } from 'react'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: 'primary' | 'plain' | 'danger' | 'icon'
  /** Why it cannot be pressed now. It stays focusable, so that everybody can find out. */
  why?: string | undefined
}

export function Button({ look, why, className, onClick, title, type = 'button', ...rest }: Props) {
  const classes = ['button', look === 'icon' ? 'icon plain' : look, className].filter(Boolean).join(' ')
  return (
    <button
      type={type}
      className={classes}
      title={why ?? title}
      aria-disabled={why ? true : undefined}
      onClick={(event) => {
        if (why) event.preventDefault()
        else onClick?.(event)
      }}
      {...rest}
    />
  )
}
