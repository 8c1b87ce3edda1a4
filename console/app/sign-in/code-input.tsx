import { Input } from '../../ui/forms/field.tsx'

/** A code of the authenticator app, or a recovery code: so not only digits. */
export function CodeInput() {
  return (
    <Input
      label="Code"
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      minLength={6}
      maxLength={40}
      required
      autoFocus
      hint="Six digits from your authenticator app, or one of your recovery codes."
    />
  )
}
