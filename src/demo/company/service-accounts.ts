import type { DemoClient } from '../client.ts'

const accounts = [
  {
    name: 'ci',
    description: 'Uploads scans from the builds. Ask Dana in #platform.',
    role: 'member',
    scopes: ['scans:write', 'scans:read', 'repositories:read', 'dependencies:read', 'findings:read'],
    token: 'build runners',
  },
  {
    name: 'package-mirror',
    description: 'The mirror in the data centre fetches through the firewall.',
    role: 'readonly',
    scopes: ['packages:read'],
    token: 'mirror 1',
  },
]

/** Programs have accounts of their own, which stay when people leave; builds at the code host need no token at all. */
export async function seedServiceAccounts(
  client: DemoClient,
  deploymentId: number,
  { email, password }: { email: string; password: string },
): Promise<void> {
  // Secrets of others are for people who signed in, not for tokens.
  const signedIn = await client.call<{ accessToken: string }>('POST', '/api/auth/login', { email, password })
  const owner = client.as(signedIn.accessToken)
  const path = `/api/service-accounts/v1/deployments/${deploymentId}/service-accounts`
  const ids: number[] = []
  for (const { token, ...account } of accounts) {
    const made = await owner.call<{ serviceAccount: { id: number } }>('POST', path, account)
    const { id } = made.serviceAccount
    const { secret } = await owner.call<{ secret: string }>('POST', `${path}/${id}/tokens`, {
      name: token,
      webApi: true,
      scopes: account.scopes,
    })
    // What it is used for shows in the list as its last use.
    await owner.as(secret).call('GET', '/api/tokens/v1/self')
    ids.push(id)
  }
  await owner.call('POST', `/api/tokens/v1/deployments/${deploymentId}/ci-trusts`, {
    name: 'Builds at GitHub',
    serviceAccountId: ids[0],
    provider: 'github',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: 'https://gatehouse.meadow.example',
    conditions: [{ claim: 'repository_owner_id', values: ['1048576'] }],
    permissions: ['scans:write', 'findings:read'],
  })
}
