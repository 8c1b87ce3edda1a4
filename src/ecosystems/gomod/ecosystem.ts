import { defineEcosystem } from '../ecosystem.ts'
import { pathPurlName } from '../purl-names.ts'
import { goKey } from './order-key.ts'

/**
 * Module paths are case-sensitive, and the hosts that most of them lead to are not: a proxy serves the repository of `github.com/a/b` as
 * `github.com/A/B` too, and `replace` in a go.mod takes it.
 */
export const gomod = defineEcosystem({
  id: 'gomod',
  purlType: 'golang',
  osvName: 'Go',
  normalizeName: (name) => name.trim(),
  comparedName: (name) => name.trim().toLowerCase(),
  ...pathPurlName,
  orderKey: goKey,
})
