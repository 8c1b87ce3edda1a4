import { randomBytes } from 'node:crypto'
import type { DemoClient } from '../client.ts'
import type { SimulatedServices } from '../simulated-services.ts'
import type { DemoSize } from '../size.ts'
import { repositoriesOf, teams } from './world.ts'

const people = ['Anna Berg', 'Ben Okafor', 'Chen Wei', 'Dana Novak']

export type Organisation = { repositoryIds: Map<string, number>; people: { id: number; name: string; token: string }[] }

/** Repositories, people and the teams that bring them together; each of the people with an API token. */
export async function seedOrganisation(
  owner: DemoClient,
  deploymentId: number,
  size: DemoSize,
  mailTo: SimulatedServices['mailTo'],
): Promise<Organisation> {
  const repositories = repositoriesOf(size)
  const repositoryIds = new Map<string, number>()
  for (const { name, tags, publiclyExposed } of repositories) {
    const path = `/api/repositories/v1/deployments/${deploymentId}/repositories`
    const { repository } = await owner.call<{ repository: { id: number } }>('POST', path, {
      name,
      tags,
      publiclyExposed,
    })
    repositoryIds.set(name, repository.id)
  }
  for (const name of people) await invite(owner, deploymentId, name)
  const members = await Promise.all(people.map((name) => join(owner, deploymentId, name, mailTo)))
  for (const [at, name] of teams.entries()) {
    const path = `/api/permissions/v2/deployments/${deploymentId}/teams`
    const { team } = await owner.call<{ team: { id: string } }>('POST', path, { team: { name } })
    const own = repositories.filter((each) => each.team === name)
    await owner.call('PATCH', `${path}/${team.id}`, {
      team: {
        repositories: own.map((each) => ({ repositoryId: String(repositoryIds.get(each.name)) })),
        users: members.map(({ id }, member) => ({
          userId: id,
          role: member === at ? 'TEAM_ROLE_MANAGER' : 'TEAM_ROLE_MEMBER',
        })),
      },
    })
  }
  return { repositoryIds, people: members }
}

const emailOf = (name: string) => `${name.split(' ')[0]!.toLowerCase()}@meadow.example`

async function invite(owner: DemoClient, deploymentId: number, name: string): Promise<void> {
  await owner.call('POST', `/api/people/v1/deployments/${deploymentId}/people`, { email: emailOf(name), name })
}

/** By the link in the mail, as anybody would. */
async function join(owner: DemoClient, deploymentId: number, name: string, mailTo: SimulatedServices['mailTo']) {
  const email = emailOf(name)
  const password = randomBytes(12).toString('base64url')
  const token = /\/invitations#(\S+)/.exec(await mailTo(email))![1]
  type Joined = { person: { id: number } }
  const joined = await owner.call<Joined>('POST', '/api/auth/invitations/accept', { token, password })
  const { accessToken } = await owner.call<{ accessToken: string }>('POST', '/api/auth/login', { email, password })
  const { secret } = await owner
    .as(accessToken)
    .call<{ secret: string }>('POST', `/api/tokens/v1/deployments/${deploymentId}/tokens`, {
      name: `${name.split(' ')[0]}'s laptop`,
      webApi: true,
    })
  return { id: joined.person.id, name, token: secret }
}
