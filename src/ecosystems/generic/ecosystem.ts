import { defineEcosystem } from '../ecosystem.ts'
import { createKey, unreadable } from '../order-key.ts'
import { pathPurlName } from '../purl-names.ts'

/**
 * Components that no ecosystem here knows: without a purl, or with one of another type. Nobody knows the order of their
 * versions, so none is promised: a version is only equal to itself, and bounds find nothing.
 */
export const generic = defineEcosystem({
  id: 'generic',
  purlType: 'generic',
  osvName: undefined,
  normalizeName: (name) => name.trim().toLowerCase(),
  ...pathPurlName,
  orderKey(version) {
    const key = createKey()
    key.mark(unreadable)
    key.text(version)
    return key.bytes()
  },
})
