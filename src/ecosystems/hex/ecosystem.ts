import { defineEcosystem } from '../ecosystem.ts'
import { pathPurlName } from '../purl-names.ts'
import { semverKey } from '../semver-key.ts'

/** Elixir's `Version.compare/2` is SemVer and leaves build metadata out. A namespace is a private organisation. */
export const hex = defineEcosystem({
  id: 'hex',
  purlType: 'hex',
  osvName: 'Hex',
  normalizeName: (name) => name.trim().toLowerCase(),
  ...pathPurlName,
  orderKey: (version) => semverKey(version),
})
