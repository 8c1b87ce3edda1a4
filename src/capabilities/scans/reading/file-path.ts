/** A path in a repository as it is stored, or what is wrong with it. It is a label: nothing is ever opened by it. */
export function readFilePath(given: string): { path: string; fault?: undefined } | { path?: undefined; fault: string } {
  const path = given.replace(/^(\.\/)+/, '')
  if (path === '' || path.length > 1_000) return { fault: 'must have 1 to 1000 characters' }
  if (/\p{Cc}/u.test(path) || !path.isWellFormed()) return { fault: 'must not have control characters' }
  if (path.includes('\\')) return { fault: 'must have / between its parts' }
  if (path.startsWith('/')) return { fault: 'must be relative to the repository' }
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    return { fault: "must not have empty parts, '.' or '..'" }
  }
  return { path }
}
