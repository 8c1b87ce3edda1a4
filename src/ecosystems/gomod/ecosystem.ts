import { defineEcosystem } from '../ecosystem.ts'
import { pathPurlName } from '../purl-names.ts'
import { goKey } from './order-key.ts'

/** Module paths are case-sensitive. */
export const gomod = defineEcosystem({
  id: 'gomod',
  purlType: 'golang',
  osvName: 'Go',
  normalizeName: (name) => name.trim(),
  ...pathPurlName,
  orderKey: goKey,
})
