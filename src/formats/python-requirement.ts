/** PEP 508, the name at the start of a requirement. */
const name = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)/

/** The package that a requirement such as `coverage[toml]>=5; python_version < "3.9"` asks for; '' where it is none. */
export function requiredName(requirement: string): string {
  return name.exec(requirement.slice(0, 600))?.[1] ?? ''
}
