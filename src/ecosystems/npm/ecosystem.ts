import { defineEcosystem } from '../ecosystem.ts'
import { pathPurlName } from '../purl-names.ts'
import { semverKey } from '../semver-key.ts'

/** Names keep their case: the registry has old packages that differ in nothing else (`JSONStream`, `jsonstream`). */
export const npm = defineEcosystem({
  id: 'npm',
  purlType: 'npm',
  osvName: 'npm',
  normalizeName: (name) => name.trim(),
  ...pathPurlName,
  orderKey: (version) => semverKey(version),
})
