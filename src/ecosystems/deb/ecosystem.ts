import { defineEcosystem } from '../ecosystem.ts'
import { distributionPurlName } from '../purl-names.ts'
import { debKey } from './order-key.ts'

/** Packages of Debian, Ubuntu and their like. Names are lower case (Debian policy §5.6.1). */
export const deb = defineEcosystem({
  id: 'deb',
  purlType: 'deb',
  osvName: undefined,
  ...distributionPurlName({ foldCase: true }),
  orderKey: debKey,
})
