export type ProviderAddresses = ReturnType<typeof providerAddresses>

/**
 * Where the browser comes back to from a provider, and where the provider ends sessions. Each provider has its own: an answer
 * that one of them caused cannot be taken for another's (RFC 9700 §4.4.2.2), even where it does not say whose it is.
 */
export function providerAddresses(publicUrl: string) {
  const base = publicUrl.replace(/\/$/, '')
  return {
    redirectUri: (id: number) => `${base}/sign-in/callback/${id}`,
    logoutUri: (id: number) => `${base}/api/auth/providers/${id}/logout`,
  }
}
