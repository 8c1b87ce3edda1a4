import { CommandProblem } from '../../command-problem.ts'
import { exchangeJobToken, type Server } from '../upload-client.ts'
import type { Environment } from './ci-environment.ts'

type Place = Omit<Server, 'token'>

/**
 * A token of 15 minutes for the CI job that this is, where its CI system says who it is: GitHub Actions by a request, GitLab and
 * others by the variable GATEHOUSE_ID_TOKEN. Undefined where nothing does.
 */
export async function tokenOfJob(server: Place, env: Environment): Promise<string | undefined> {
  const audience = env.GATEHOUSE_AUDIENCE || server.url.origin
  const idToken = env.GATEHOUSE_ID_TOKEN?.trim() || (await githubToken(env, audience))
  if (!idToken) return undefined
  return exchangeJobToken(server, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: idToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    audience,
    deployment_id: String(server.deploymentId),
  })
}

/** Only with `permissions: id-token: write` in the workflow are the two variables there. */
async function githubToken(env: Environment, audience: string): Promise<string | undefined> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = env
  if (!address || !token) return undefined
  const url = URL.parse(address)
  if (!url) throw new CommandProblem('ACTIONS_ID_TOKEN_REQUEST_URL is not an address.')
  url.searchParams.set('audience', audience)
  const { EnvHttpProxyAgent, request } = await import('../../http-client.ts')
  const dispatcher = new EnvHttpProxyAgent()
  try {
    const answer = await request(url, { dispatcher, headers: { authorization: `Bearer ${token}` } })
    const body = (await answer.body.json().catch(() => undefined)) as { value?: unknown } | undefined
    if (answer.statusCode === 200 && typeof body?.value === 'string') return body.value
    throw new CommandProblem(`GitHub Actions gives this job no ID token (${answer.statusCode}).`)
  } catch (error) {
    if (error instanceof CommandProblem) throw error
    throw new CommandProblem(`GitHub Actions cannot be asked for an ID token (${(error as Error).message}).`)
  } finally {
    await dispatcher.destroy()
  }
}
