const beginning = 'Upgrade to '

/** A sentence of the message of a finding. */
export function fixAdvice(versions: readonly string[]): string {
  if (versions.length === 0) return 'No fixed version is known.'
  return `${beginning}${versions.join(' or ')}.`
}

/** The versions that such a message advises; empty where it advises none. */
export function advisedVersion(message: string): string {
  const at = message.lastIndexOf(`. ${beginning}`)
  if (at < 0) return ''
  const rest = message.slice(at + beginning.length + 2)
  // Versions have dots in them, but none before a space.
  const end = rest.search(/\.(\s|$)/)
  return end < 0 ? '' : rest.slice(0, end)
}
