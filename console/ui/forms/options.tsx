import { type KeyboardEvent, useId, useState } from 'react'
import { Icon } from '../icons.tsx'
import { plainly } from '../text/foreign-text.ts'

export type Option = { value: string; label: string; count?: number | undefined }

type Props = {
  label: string
  options: readonly Option[]
  chosen: readonly string[]
  onToggle: (value: string) => void
  /** Told what is typed, where the options come from the server. Without it they are searched here. */
  onType?: (text: string) => void
  /** What is typed may be taken as it stands. */
  free?: boolean
  /** The options are not those of what is typed yet. */
  busy?: boolean
}

/** A combobox whose list stays open: type, go up and down, Enter takes or leaves a value. */
export function Options({ label, options, chosen, onToggle, onType, free, busy }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const wanted = text.trim().toLowerCase()
  // While the server is asked, the options are those of what was typed before: Enter must not take one of them.
  const answered = onType && !busy
  const found = options.filter((option) => answered || !wanted || option.label.toLowerCase().includes(wanted))
  const missing = chosen.filter(
    (value) => !found.some((option) => option.value === value) && (!wanted || value.toLowerCase().includes(wanted)),
  )
  const typed = text.trim()
  const all: Option[] = [
    ...missing.map((value) => ({ value, label: options.find((option) => option.value === value)?.label ?? value })),
    ...found,
    ...(free && typed && !found.some((option) => option.value === typed)
      ? [{ value: typed, label: `Use “${typed}”` }]
      : []),
  ]
  const at = Math.min(active, Math.max(0, all.length - 1))
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const to = (at + step + all.length) % Math.max(1, all.length)
      setActive(to)
      document.getElementById(`${id}-${to}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const option = all[at]
      if (option) onToggle(option.value)
    }
  }
  return (
    <div className="inside">
      <input
        className="input"
        // biome-ignore lint/a11y/noAutofocus: it was opened to type into it
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={all.length > 0 ? `${id}-${at}` : undefined}
        aria-label={`${label}: search values`}
        placeholder={`Search ${label.toLowerCase()}`}
        value={text}
        onKeyDown={pressed}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
          onType?.(event.target.value.trim())
        }}
      />
      <div className="options" role="listbox" id={id} aria-label={label} aria-multiselectable="true" aria-busy={busy}>
        {all.map((option, index) => (
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={chosen.includes(option.value)}
            data-active={index === at}
            className="option"
            // One types on where one was.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onToggle(option.value)}
          >
            <span className="tick">{chosen.includes(option.value) && <Icon name="check" size={14} />}</span>
            <span className="value">{plainly(option.label)}</span>
            {option.count !== undefined && <span className="n">{option.count.toLocaleString('en')}</span>}
          </div>
        ))}
      </div>
      {all.length === 0 && <p className="small muted">{busy ? 'Loading' : 'No value like this.'}</p>}
    </div>
  )
}
