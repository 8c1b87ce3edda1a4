import type { Logger } from 'pino'
import type { createFirewall } from './capabilities/firewall/firewall.ts'
import { createRecorder } from './capabilities/firewall-activity/recorder.ts'
import type { Clock } from './kernel/clock.ts'
import type { Database } from './kernel/database.ts'
import type { Front } from './kernel/front.ts'
import type { Outbound } from './outbound/client.ts'
import { createProxy } from './proxy/proxy.ts'
import type { Settings } from './settings.ts'
import type { KeyRing } from './vault/key-ring.ts'

type Ingredients = {
  db: Database
  ring: KeyRing
  clock: Clock
  log: Logger
  outbound: Outbound
  settings: Settings
  firewall: Pick<ReturnType<typeof createFirewall>, 'verdict'>
  serve(front: Front): void
}

/** The doors that packages come in through, and the record of who came. */
export function composePackages({ settings, firewall, serve, log, ...given }: Ingredients) {
  const recorder = createRecorder({ ...given, log })
  const { dataFolder, cacheBytes, egressAllow, packageUpstreams: upstreams } = settings
  const proxy = createProxy({
    ...given,
    firewall: { verdict: firewall.verdict, record: recorder.record },
    dataFolder,
    cacheBytes,
    egressAllow,
    upstreams,
  })
  for (const front of proxy.fronts) serve(front)

  async function close(): Promise<void> {
    await proxy.close()
    await recorder.close()
  }

  return { recorder, close }
}
