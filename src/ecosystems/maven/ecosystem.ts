import { defineEcosystem } from '../ecosystem.ts'
import { mavenKey } from './order-key.ts'

/** Names are `group:artifact`. SBOMs of Android builds name local artifacts without a group; those stay as they are. */
export const maven = defineEcosystem({
  id: 'maven',
  purlType: 'maven',
  osvName: 'Maven',
  normalizeName: (name) => name.trim().replace('/', ':'),
  normalizePart: (part) => part.toLowerCase().replace('/', ':'),
  nameFromPurl: (purl) => (purl.namespace ? `${purl.namespace}:${purl.name}` : purl.name),
  nameToPurl: (name) => {
    const [group, artifact] = name.split(':', 2)
    if (!group || artifact === '') return undefined
    return artifact === undefined ? { name } : { namespace: group, name: artifact }
  },
  orderKey: mavenKey,
  // `2.0-20260101.120000-3` is a build of `2.0-SNAPSHOT`.
  versionOfBuild: (version) => version.replace(/-\d{8}\.\d{6}-\d+$/, '-SNAPSHOT'),
})
