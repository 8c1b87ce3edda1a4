import { defineEcosystem } from '../ecosystem.ts'
import { distributionPurlName } from '../purl-names.ts'
import { rpmKey } from './order-key.ts'

/** Packages of Fedora, Red Hat, SUSE and their like. Names are told apart by case (`ImageMagick`). */
export const rpm = defineEcosystem({
  id: 'rpm',
  purlType: 'rpm',
  osvName: undefined,
  ...distributionPurlName({ foldCase: false }),
  orderKey: rpmKey,
})
