import { confirmedForMs, type Identity } from '../../kernel/access/identity.ts'
import type { Call } from '../../kernel/contract/api.ts'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { Fault } from '../../kernel/contract/fault.ts'

/** `again` looks the session up once more: another process may have taken the password a moment ago. */
export async function requireRecentPassword(
  contract: Endpoint,
  call: Call<Endpoint>,
  now: Date,
  again: () => Promise<Identity>,
): Promise<void> {
  const { reauthentication } = contract
  if (!reauthentication || !call.caller?.browser) return
  if (reauthentication !== 'always' && !reauthentication(call.body as never)) return
  if (isRecent(call.caller, now) || isRecent(await again(), now)) return
  const message = 'Type your password again to do this: it was last asked for more than five minutes ago.'
  throw new Fault('reauthentication_required', message)
}

function isRecent({ browser }: Identity, now: Date): boolean {
  return browser !== undefined && now.getTime() - browser.confirmedAt.getTime() < confirmedForMs
}
