/** An address without the credentials that some tools leave in it. */
export function withoutCredentials(address: string): string {
  if (address.length > 2000) return ''
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}
