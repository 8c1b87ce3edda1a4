import type { Permission } from '../../../src/kernel/access/permission.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/forms/field.tsx'
import { purposes, scopeMatrix } from './scopes.ts'

type Props = {
  /** What there is to choose from. */
  permissions: readonly Permission[]
  scopes: ReadonlySet<Permission>
  wrong: string | undefined
  onChoose: (scopes: ReadonlySet<Permission>) => void
}

/** Scopes one by one, or those of a purpose at once. */
export function ScopePicker({ permissions, scopes, wrong, onChoose }: Props) {
  const fitting = Object.entries(purposes).filter(([, { scopes: needed }]) =>
    needed.every((scope) => permissions.includes(scope)),
  )
  const toggle = (scope: Permission) => {
    const next = new Set(scopes)
    if (!next.delete(scope)) next.add(scope)
    onChoose(next)
  }
  return (
    <>
      <div className="row">
        {fitting.map(([name, purpose]) => (
          <Button key={name} onClick={() => onChoose(new Set(purpose.scopes))}>
            {purpose.label}
          </Button>
        ))}
        <Button look="plain" onClick={() => onChoose(new Set())}>
          None
        </Button>
      </div>
      {wrong && <span className="wrong small">{wrong}</span>}
      <div className="matrix scopes">
        {scopeMatrix(permissions).map((row) => (
          <fieldset key={row.subject} className="scope-row">
            <legend className="small">{row.subject}</legend>
            {row.scopes.map(({ scope, verb }) => (
              <Check
                key={scope}
                label={verb}
                aria-label={scope}
                checked={scopes.has(scope)}
                onChange={() => toggle(scope)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </>
  )
}
