import { useCallback, useState } from 'react'
import { Icon } from '../icons.tsx'
import { Popover } from '../overlays/popover.tsx'
import { plainly } from '../text/foreign-text.ts'
import { type Option, Options } from './options.tsx'

type Props = {
  label: string
  options: readonly Option[]
  chosen: readonly string[]
  onChoose: (values: string[]) => void
  many?: boolean
  free?: boolean
  busy?: boolean
  empty?: string
  onType?: (text: string) => void
  /** Of chosen values that are not among the options. */
  names?: Readonly<Record<string, string>>
}

/** One value or many of a list that can be searched, as a button in a form. */
export function Chooser(props: Props) {
  const { label, options, chosen, onChoose, many, free, busy, empty = 'Choose', onType } = props
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  const names = chosen.map(
    (value) => options.find((option) => option.value === value)?.label ?? props.names?.[value] ?? value,
  )
  const toggle = (value: string) => {
    if (many) onChoose(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value])
    else {
      onChoose(chosen.includes(value) ? [] : [value])
      close()
      button?.focus()
    }
  }
  return (
    <span
      role="presentation"
      // Escape closes this and not the dialog around it.
      onKeyDownCapture={(event) => event.key === 'Escape' && open && event.preventDefault()}
    >
      <button
        ref={setButton}
        type="button"
        className={chosen.length > 0 ? 'chip on' : 'chip'}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`${label}: ${plainly(names.join(', ')) || empty}`}
        onClick={() => setOpen(!open)}
      >
        <span className="value">{plainly(names.join(', ')) || empty}</span>
        <Icon name="down" size={12} />
      </button>
      {open && button && (
        <Popover anchor={button} onClose={close} label={label}>
          <Options
            label={label}
            options={options}
            chosen={chosen}
            onToggle={toggle}
            free={free ?? false}
            busy={busy ?? false}
            {...(onType && { onType })}
          />
        </Popover>
      )}
    </span>
  )
}
