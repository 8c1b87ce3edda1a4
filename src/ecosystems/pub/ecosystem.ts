import { defineEcosystem } from '../ecosystem.ts'
import { plainPurlName } from '../purl-names.ts'
import { semverKey } from '../semver-key.ts'

/** pub_semver orders by build metadata too: `1.2.3 < 1.2.3+1 < 1.2.3+2`. */
export const pub = defineEcosystem({
  id: 'pub',
  purlType: 'pub',
  osvName: 'Pub',
  normalizeName: (name) => name.trim().toLowerCase(),
  ...plainPurlName,
  orderKey: (version) => semverKey(version, { orderByBuild: true }),
})
