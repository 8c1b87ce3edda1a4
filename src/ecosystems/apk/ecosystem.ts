import { defineEcosystem } from '../ecosystem.ts'
import { distributionPurlName } from '../purl-names.ts'
import { apkKey } from './order-key.ts'

/** Packages of Alpine, Wolfi and their like. */
export const apk = defineEcosystem({
  id: 'apk',
  purlType: 'apk',
  osvName: undefined,
  ...distributionPurlName({ foldCase: true }),
  orderKey: apkKey,
})
