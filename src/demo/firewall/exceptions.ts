import type { Application } from '../../compose/compose.ts'
import type { DemoClient } from '../client.ts'
import type { Organisation } from '../company/organisation.ts'
import { type Artifact, addressOf, eventStream, justOut } from './artifacts.ts'

type Parts = { application: Application; organisation: Organisation }

/** The recommended rules come into force, developers are refused what came out this morning, and some ask for exceptions. */
export async function seedExceptions(
  owner: DemoClient,
  deploymentId: number,
  { application, organisation }: Parts,
): Promise<void> {
  const path = `/api/firewall/v1/deployments/${deploymentId}`
  await owner.call('PUT', `${path}/exception-settings`, { contact: 'Ask in #platform-security.', fourEyes: true })
  const { rules } = await owner.call<{ rules: object[] }>('GET', `${path}/rules/recommended`)
  await owner.call('PUT', `${path}/rules`, { mode: 'enforce', rules: rules.map(asSent) })
  await application.firewall.refresh()

  const [anna, ben, chen] = organisation.people.map(({ token }) => owner.as(token))
  const ask = async (client: DemoClient, artifact: Artifact, reason: string) => {
    await client.fetchPackage(addressOf(deploymentId, artifact))
    const { exception } = await client.call<{ exception: { id: number } }>('POST', `${path}/exceptions`, {
      ...artifact,
      reason,
    })
    return `${path}/exceptions/${exception.id}/decision`
  }
  await ask(anna!, justOut.charts, 'The dashboard needs its new legend for the release on Friday.')
  await ask(ben!, justOut.charts, 'Fixes the export that customers complain about.')
  const forecast = await ask(chen!, justOut.forecast, 'The model was trained with it.')
  const stream = await ask(ben!, eventStream, 'An old tool of ours still wants it.')

  const expiresAt = new Date(Date.now() + 14 * 86_400_000).toISOString()
  const approval = 'Looked at what changed since 1.4.0: two functions and their tests.'
  await owner.call('POST', forecast, { decision: 'approve', reason: approval, teamId: null, expiresAt })
  await owner.call('POST', stream, { decision: 'reject', reason: 'Nobody maintains it. Use node:stream in the tool.' })
}

/** A list is sent without what only answers have. */
function asSent({ id: _, sentence: __, ...rule }: { id?: number; sentence?: string }): object {
  return rule
}
