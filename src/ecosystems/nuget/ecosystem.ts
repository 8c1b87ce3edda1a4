import { defineEcosystem } from '../ecosystem.ts'
import { plainPurlName } from '../purl-names.ts'
import { semverKey } from '../semver-key.ts'

/** Ids and pre-release labels are case-insensitive; a fourth number counts (NuGet package versioning). */
export const nuget = defineEcosystem({
  id: 'nuget',
  purlType: 'nuget',
  osvName: 'NuGet',
  normalizeName: (name) => name.trim().toLowerCase(),
  ...plainPurlName,
  orderKey: (version) => semverKey(version, { foldCase: true }),
})
