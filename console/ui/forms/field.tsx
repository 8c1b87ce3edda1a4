import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'

type Around = { label: string; hint?: ReactNode; wrong?: string | undefined }

function useField({ hint, wrong }: Around) {
  const id = useId()
  const about = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ') || undefined
  return { id, given: { id, 'aria-describedby': about, 'aria-invalid': wrong ? (true as const) : undefined } }
}

function Frame({ id, label, hint, wrong, children }: Around & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {wrong && (
        <span className="wrong" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
    </div>
  )
}

export function Input({ label, hint, wrong, className, ...rest }: Around & InputHTMLAttributes<HTMLInputElement>) {
  const { id, given } = useField({ label, hint, wrong })
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <input className={className ? `input ${className}` : 'input'} {...given} {...rest} />
    </Frame>
  )
}

export function Textarea({ label, hint, wrong, ...rest }: Around & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { id, given } = useField({ label, hint, wrong })
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <textarea className="input" {...given} {...rest} />
    </Frame>
  )
}

type Choice = string | { value: string; label: string }

export function Select({
  label,
  hint,
  wrong,
  choices,
  ...rest
}: Around & SelectHTMLAttributes<HTMLSelectElement> & { choices: readonly Choice[] }) {
  const { id, given } = useField({ label, hint, wrong })
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <select className="input" {...given} {...rest}>
        {choices.map((choice) => {
          const one = typeof choice === 'string' ? { value: choice, label: choice } : choice
          return (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          )
        })}
      </select>
    </Frame>
  )
}

export function Check({ label, ...rest }: { label: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="check">
      <input type="checkbox" {...rest} />
      <span>{label}</span>
    </label>
  )
}
