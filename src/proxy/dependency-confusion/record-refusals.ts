import type { Firewall } from '../../capabilities/firewall/verdicts/verdict.ts'
import type { RegistryAdapter, RegistryRequest } from '../../kernel/contract/adapters/registry-adapter.ts'
import { PrivateNameRefusal } from '../refusal.ts'
import { everyVersion } from '../refusal-text.ts'

/** The adapter, with what it refuses because a name is private on record before the client is told, as any other refusal is. */
export function recordPrivateNames(
  adapter: RegistryAdapter,
  { record, contactOf }: Pick<Firewall, 'record' | 'contactOf'>,
): RegistryAdapter {
  async function answer(request: RegistryRequest) {
    try {
      return await adapter.answer(request)
    } catch (error) {
      throw error instanceof PrivateNameRefusal ? await recorded(request, error) : error
    }
  }

  async function recorded(
    { actor, client }: RegistryRequest,
    refusal: PrivateNameRefusal,
  ): Promise<PrivateNameRefusal> {
    const { deploymentId, personId, tokenId } = actor
    const { ecosystem, packageName: name, message: reason } = refusal
    const why = { rule: 'private_name', reason, client: client.agent, address: client.address }
    const asked = { deploymentId, personId, tokenId, ecosystem, name, version: everyVersion }
    await record({ ...asked, refused: true, advisoryId: '', refusal: why })
    const contact = contactOf(deploymentId)
    return new PrivateNameRefusal(ecosystem, name, contact ? `${reason} ${contact}` : reason)
  }

  return { ...adapter, answer }
}
