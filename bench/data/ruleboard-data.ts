import type { BenchServer } from '../server.ts'

/** Whoever asks for the boards of a deployment, with a token of their own; what a peer is asked is in `peerPath`. */
export type Asker = { path: string; headers: { authorization: string }; peerPath: string }

type Person = { email: string; password: string }

export const boards = 20
const password = 'seven ferries to Gothenburg'

/** So many people of one deployment, and the owner of so many deployments; every deployment has the same boards. */
export async function fill(server: BenchServer, many: number): Promise<{ people: Asker[]; deployments: Asker[] }> {
  await addBoards(server.url, server.deploymentId, server.token)
  const people: Asker[] = []
  for (let n = 0; n < many; n++) {
    people.push(await addMember(server, `member-${n}@example.com`))
  }
  const deployments = [askerFor(server.deploymentId, server.token)]
  while (deployments.length < many) deployments.push(await addDeployment(server, `Deployment ${deployments.length}`))
  return { people, deployments }
}

function askerFor(deploymentId: number, token: string, person = ''): Asker {
  return {
    peerPath: `/${deploymentId}${person && `/${person}`}`,
    path: `/api/agent/deployments/${deploymentId}/ruleboards`,
    headers: { authorization: `Bearer ${token}` },
  }
}

async function addBoards(url: string, deploymentId: number, token: string): Promise<void> {
  const repositories = `${url}/api/repositories/v1/deployments/${deploymentId}/repositories`
  for (let i = 0; i < boards * 2; i++) await post(repositories, token, { name: `group/repository-${i}` })
  for (let i = 2; i < boards; i++) {
    const assigned_repos = [`group/repository-${i}`, `group/repository-${i + boards}`]
    const board = { name: `Board ${i}`, type: 'RULEBOARD_TYPE_SAST', assigned_repos }
    await post(`${url}/api/agent/deployments/${deploymentId}/ruleboards`, token, board)
  }
}

export async function addMember({ url, deploymentId, token }: BenchServer, email: string): Promise<Asker> {
  const people = `${url}/api/people/v1/deployments/${deploymentId}/people`
  const { link } = await post(people, token, {
    email,
    role: 'member',
  })
  await post(`${url}/api/auth/invitations/accept`, '', { token: link.slice(link.indexOf('#') + 1), password })
  const headers = { authorization: `Bearer ${token}` }
  const listed = (await (await fetch(`${people}?text=${email}`, { headers })).json()) as { people: { id: string }[] }
  return askerFor(deploymentId, await makeToken(url, deploymentId, { email, password }), listed.people[0]!.id)
}

async function addDeployment({ url, owner }: BenchServer, name: string): Promise<Asker> {
  const { deployment } = await post(`${url}/api/deployments/v1/deployments`, await signIn(url, owner), { name })
  const token = await makeToken(url, deployment.id, owner)
  await addBoards(url, deployment.id, token)
  return askerFor(deployment.id, token)
}

async function makeToken(url: string, deploymentId: number, person: Person): Promise<string> {
  const jwt = await signIn(url, person)
  const body = { name: 'benchmark', webApi: true }
  return (await post(`${url}/api/tokens/v1/deployments/${deploymentId}/tokens`, jwt, body)).secret
}

export async function signIn(url: string, person: Person): Promise<string> {
  return (await post(`${url}/api/auth/login`, '', person)).accessToken
}

export async function post(url: string, token: string, body: object) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`)
  return JSON.parse(await response.text())
}
