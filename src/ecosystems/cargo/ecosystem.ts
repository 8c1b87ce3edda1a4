import { defineEcosystem } from '../ecosystem.ts'
import { plainPurlName } from '../purl-names.ts'
import { semverKey } from '../semver-key.ts'

/** crates.io serves a crate under one spelling only, so `-` and `_` are not folded. */
export const cargo = defineEcosystem({
  id: 'cargo',
  purlType: 'cargo',
  osvName: 'crates.io',
  normalizeName: (name) => name.trim(),
  ...plainPurlName,
  orderKey: (version) => semverKey(version),
})
