/** What the address of a CodeArtifact repository says: whose domain it is in, and where its API is asked. */
export type ManagedRegistry = { domain: string; owner: string; region: string; stsUrl: string; apiUrl: string }

const host =
  /^([a-z][a-z0-9-]{0,48}[a-z0-9])-(\d{12})\.d\.codeartifact\.([a-z]{2}(?:-[a-z]+)+-\d)\.(amazonaws\.com(?:\.cn)?|on\.aws)$/

/**
 * Undefined for any other address. Nothing but this form is taken: the token would be sent there. `endpoint` is the
 * operator's own for both services, where there is one.
 */
export function managedRegistry(url: string, endpoint: string | undefined): ManagedRegistry | undefined {
  const parsed = URL.parse(url)
  const [, domain, owner, region, suffix] = host.exec(parsed?.hostname ?? '') ?? []
  if (parsed?.protocol !== 'https:' || !domain || !owner || !region || !suffix) return undefined
  const isDual = suffix === 'on.aws'
  const stsUrl = `https://sts.${region}.${isDual ? 'amazonaws.com' : suffix}`
  const apiUrl = `https://codeartifact.${region}.${isDual ? 'api.aws' : suffix}`
  return { domain, owner, region, stsUrl: endpoint ?? stsUrl, apiUrl: endpoint ?? apiUrl }
}
