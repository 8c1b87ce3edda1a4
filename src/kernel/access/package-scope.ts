/** The one kind of token that is worth nothing to a thief: it fetches packages, which are public for the most part. */
export function onlyFetchesPackages(scopes: readonly string[] | undefined): boolean {
  return scopes !== undefined && scopes.length > 0 && scopes.every((scope) => scope === 'packages:read')
}
