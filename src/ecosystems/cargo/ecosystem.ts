import { defineEcosystem } from '../ecosystem.ts'
import { plainPurlName } from '../purl-names.ts'
import { semverKey } from '../semver-key.ts'

/** crates.io serves a crate under one spelling only, so `-` and `_` are not folded. */
export const cargo = defineEcosystem({
  id: 'cargo',
  purlType: 'cargo',
  osvName: 'crates.io',
  normalizeName: (name) => name.trim(),
  // Cargo asks an index for each spelling of a name that it does not find, and crates.io has one crate for all of them.
  comparedName: (name) => name.trim().toLowerCase().replaceAll('_', '-'),
  ...plainPurlName,
  orderKey: (version) => semverKey(version),
})
