import type { InventoryItem } from '../format.ts'
import type { RepositoryBill } from './repository-bill.ts'

const item = (key: string, more: Partial<InventoryItem>): InventoryItem => ({
  key,
  ecosystem: 'npm',
  name: key,
  version: '1.0.0',
  transitivity: 'DIRECT',
  development: false,
  licence: '',
  resolved: '',
  dependsOn: [],
  line: 0,
  ...more,
})

/** For tests of the writers: each field in its kinds, and standings that the graph shows and does not show. */
export const sampleBill: RepositoryBill = {
  repository: 'shop/front',
  created: new Date('2026-03-01T10:00:00.250Z'),
  items: [
    item('a', { licence: 'MIT', resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', dependsOn: ['b', 'loop'] }),
    item('b', { name: '@scope/b', transitivity: 'TRANSITIVE', licence: 'MIT OR Apache-2.0', dependsOn: ['loop'] }),
    item('loop', { transitivity: 'TRANSITIVE', dependsOn: ['a'] }),
    item('dev', { development: true, licence: 'Our own licence', dependsOn: ['dev-only', 'b'] }),
    item('dev-only', { development: true, transitivity: 'TRANSITIVE' }),
    item('jar', { ecosystem: 'maven', name: 'org.example:jar', version: '1.0-SNAPSHOT', transitivity: 'UNKNOWN' }),
    item('brought in by nobody', { ecosystem: 'pypi', name: 'django', transitivity: 'TRANSITIVE' }),
    item('unknown development', { name: 'odd', development: true, transitivity: 'UNKNOWN' }),
    item('repository', { name: 'from-git', version: '' }),
  ],
}
