import { defineEcosystem } from '../ecosystem.ts'
import { plainPurlName } from '../purl-names.ts'
import { lastLocalKey, pep440Key } from './order-key.ts'

export const pypi = defineEcosystem({
  id: 'pypi',
  purlType: 'pypi',
  osvName: 'PyPI',
  normalizeName: (name) => spelled(name.trim()),
  normalizePart: spelled,
  ...plainPurlName,
  orderKey: pep440Key,
  lastBuildKey: lastLocalKey,
})

/** PEP 503: lower case, and any run of `-`, `_` and `.` is one hyphen. */
function spelled(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}
