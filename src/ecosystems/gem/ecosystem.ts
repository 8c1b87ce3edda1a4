import { defineEcosystem } from '../ecosystem.ts'
import { plainPurlName } from '../purl-names.ts'
import { gemKey } from './order-key.ts'

export const gem = defineEcosystem({
  id: 'gem',
  purlType: 'gem',
  osvName: 'RubyGems',
  normalizeName: (name) => name.trim(),
  ...plainPurlName,
  orderKey: gemKey,
})
