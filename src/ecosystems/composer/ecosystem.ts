import { defineEcosystem } from '../ecosystem.ts'
import { pathPurlName } from '../purl-names.ts'
import { composerKey } from './order-key.ts'

export const composer = defineEcosystem({
  id: 'composer',
  purlType: 'composer',
  osvName: 'Packagist',
  normalizeName: (name) => name.trim().toLowerCase(),
  ...pathPurlName,
  orderKey: composerKey,
})
