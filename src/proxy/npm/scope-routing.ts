import type { OpenRegistry } from '../upstream/registries.ts'
import type { Choice } from '../upstream/upstreams.ts'
import { scopeOf } from './route.ts'

type Claiming = Pick<OpenRegistry, 'npmScope'>

/** The registries for a package: those that have its scope for themselves, or else those without one, or else the default. */
export function registriesForName(name: string): Choice {
  return (registries) => {
    const found = registriesFor(name, registries)
    return found.length > 0 ? found : undefined
  }
}

function registriesFor<R extends Claiming>(name: string, registries: readonly R[]): R[] {
  const scope = scopeOf(name)
  const claiming = registries.filter(({ npmScope }) => npmScope !== null && isSameScope(npmScope, scope))
  return claiming.length > 0 ? claiming : registries.filter(({ npmScope }) => npmScope === null)
}

/** Whether a registry of the deployment has the scope of this name for itself. */
export function isScopeClaimed(name: string, registries: readonly Claiming[]): boolean {
  const scope = scopeOf(name)
  return registries.some(({ npmScope }) => npmScope !== null && isSameScope(npmScope, scope))
}

/** Without regard to case: another spelling of a private scope is not a way out to the public. */
function isSameScope(claimed: string, scope: string | undefined): boolean {
  return scope !== undefined && `@${claimed.replace(/^@/, '')}`.toLowerCase() === scope.toLowerCase()
}
