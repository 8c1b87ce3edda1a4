import { defineEcosystem } from '../ecosystem.ts'
import { plainPurlName } from '../purl-names.ts'
import { pep440Key } from './order-key.ts'

export const pypi = defineEcosystem({
  id: 'pypi',
  purlType: 'pypi',
  osvName: 'PyPI',
  /** PEP 503: lower case, and any run of `-`, `_` and `.` is one hyphen. */
  normalizeName: (name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/[-_.]+/g, '-'),
  ...plainPurlName,
  orderKey: pep440Key,
})
