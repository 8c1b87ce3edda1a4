import { defineEcosystem } from '../ecosystem.ts'
import { mavenKey } from './order-key.ts'

/** Names are `group:artifact`. */
export const maven = defineEcosystem({
  id: 'maven',
  purlType: 'maven',
  osvName: 'Maven',
  normalizeName: (name) => name.trim().replace('/', ':'),
  nameFromPurl: (purl) => (purl.namespace ? `${purl.namespace}:${purl.name}` : undefined),
  nameToPurl: (name) => {
    const [group, artifact] = name.split(':', 2)
    return group && artifact ? { namespace: group, name: artifact } : undefined
  },
  orderKey: mavenKey,
})
