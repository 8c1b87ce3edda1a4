import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { bill, uploadInventory } from '../../../../test/inventory-fixture.ts'
import type { DependencyFilter, PackageFilter } from '../contract.ts'

let gatehouse: TestGatehouse
let path: string
let ids: Record<string, number>

before(async () => {
  gatehouse = await openGatehouse()
  path = `/api/sca/deployments/${gatehouse.owner.deploymentId}`
  ids = {
    front: await uploadInventory(gatehouse, 'shop/front', {
      'package-lock.json': lock,
      'docs/requirements.txt': 'Django_Rest==1.0\n',
    }),
    back: await uploadInventory(gatehouse, 'shop/back', {
      'bom.json': bill([
        { ecosystem: 'pypi', name: 'django-rest', version: '1.1.0rc1', licence: 'MIT OR Apache-2.0' },
        { ecosystem: 'maven', name: 'org.log:core', version: '2.14.1', licence: 'Apache-2.0' },
        { ecosystem: 'npm', name: 'left_pad%', version: '2.0.0', licence: 'GPL-2.0-only WITH Classpath-exception-2.0' },
      ]),
    }),
    tools: await uploadInventory(gatehouse, 'tools', {
      'bom.json': bill([
        { ecosystem: 'npm', name: 'lodash', version: '4.17.21', licence: 'MIT', direct: true },
        { ecosystem: 'npm', name: 'leftpad', version: 'v1.0.0+build', licence: 'Our own licence' },
        { ecosystem: 'gem', name: 'lodash', version: '1.0.a', licence: 'mit' },
        { ecosystem: 'maven', name: 'org.log:core', version: '2.17' },
        { ecosystem: 'hex', name: 'jason', version: '1.4.0' },
      ]),
    }),
    builds: await uploadInventory(gatehouse, 'builds', {
      'requirements.txt': 'built==1.0\nbuilt==1.0+cu118\nbuilt==1.0.post1\n',
    }),
    old: await uploadInventory(gatehouse, 'old', { 'package-lock.json': lock }),
  }
  const repository = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories/${ids.old}`
  await gatehouse.call('PATCH', repository, { body: { archived: true } })
})
after(() => gatehouse.close())

const lock = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { lodash: '^4.0.0', '@acme/Pad': '*' } },
    'node_modules/lodash': { version: '4.17.15', license: 'MIT' },
    'node_modules/@acme/Pad': { version: '10.0.0', dependencies: { leftpad: '*' }, license: 'ISC' },
    'node_modules/leftpad': { version: '1.0.0' },
  },
})

/** What the filter finds, as `repository: count`; the list of dependencies must tell the same. */
async function find(dependencyFilter: DependencyFilter): Promise<string> {
  const answer = await gatehouse.call('POST', `${path}/repositories`, { body: { dependencyFilter } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const listed = await gatehouse.call('POST', `${path}/dependencies`, { body: { dependencyFilter } })
  assert.equal(listed.status, 200, JSON.stringify(listed.body))
  const names = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]))
  const counts = new Map<number, number>()
  for (const { repositoryId } of listed.body.dependencies) counts.set(repositoryId, (counts.get(repositoryId) ?? 0) + 1)
  const text = (pairs: Iterable<[number, number]>) =>
    [...pairs].map(([id, count]) => `${names[id]} ${count}`).join(', ')
  type Summary = { id: number; numDependencies: number }
  const found = text(answer.body.repositorySummaries.map((one: Summary) => [one.id, one.numDependencies]))
  assert.equal(text(counts), found)
  return found
}

const whole = (name: string, more: PackageFilter = {}) => ({
  packageFilters: [{ name, exactNameMatch: true, ...more }],
})

const cases: [string, () => DependencyFilter, string][] = [
  ['nothing', () => ({}), 'front 4, back 3, tools 5, builds 3'],
  [
    'empty texts and lists',
    () => ({ name: '', version: '', lockfilePath: '', license: [], repositoryId: [], packageFilters: [] }),
    'front 4, back 3, tools 5, builds 3',
  ],
  ['archived too', () => ({ includeArchived: true }), 'front 4, back 3, tools 5, builds 3, old 3'],
  ['archived too, with a name', () => ({ includeArchived: true, name: 'lodash' }), 'front 1, tools 2, old 1'],
  ['part of a name', () => ({ name: 'pad' }), 'front 2, back 1, tools 1'],
  ['part of a name, any letter case', () => ({ name: 'PAD' }), 'front 2, back 1, tools 1'],
  ['part of a name as it was written', () => ({ name: 'django_' }), 'front 1, back 1'],
  ['part of a name, in a spelling that nobody wrote', () => ({ name: 'DJANGO._re' }), 'front 1, back 1'],
  ['part of a name and a version', () => ({ name: 'o.rest', version: '1.0' }), 'front 1'],
  ['part of a name beside a filter', () => ({ name: 'o.r', packageFilters: [{ name: 'o__re' }] }), 'front 1, back 1'],
  [
    'parts of names, each in its spelling',
    () => ({ packageFilters: [{ name: 'o.re' }, { name: 'left.' }, { name: 'g/c' }] }),
    'front 1, back 2, tools 1',
  ],
  ['part of a name within its ecosystem', () => ({ name: 'o.re', ecosystem: ['pypi'] }), 'front 1, back 1'],
  ['part of a name within another ecosystem', () => ({ name: 'o.re', ecosystem: ['npm', 'gem'] }), ''],
  ['part of a name with a group', () => ({ name: 'Log/Core' }), 'back 1, tools 1'],
  ['two characters in any spelling', () => ({ name: '_r' }), 'front 1, back 1'],
  ['a percent sign is a percent sign', () => ({ name: '%' }), 'back 1'],
  ['an underscore is an underscore', () => ({ name: 't_p' }), 'back 1'],
  ['a backslash is a backslash', () => ({ name: '\\' }), ''],
  ['no such name', () => ({ name: 'nowhere' }), ''],
  ['version', () => ({ version: '1.0.0' }), 'front 2, tools 1, builds 1'],
  ['version, spelled otherwise', () => ({ version: '1.0' }), 'front 2, tools 1, builds 1'],
  ['version, not a part of it', () => ({ version: '4.17.1' }), ''],
  ['name and version', () => ({ name: 'left', version: '1' }), 'front 1, tools 1'],
  ['repositories', () => ({ repositoryId: [ids.tools!, ids.back!, 999] }), 'back 3, tools 5'],
  ['an archived repository', () => ({ repositoryId: [ids.old!] }), ''],
  ['repository and name', () => ({ repositoryId: [ids.tools!], name: 'pad' }), 'tools 1'],
  ['lockfile', () => ({ lockfilePath: 'bom.json' }), 'back 3, tools 5'],
  ['lockfile, whole path only', () => ({ lockfilePath: 'bom' }), ''],
  ['lockfile and name', () => ({ lockfilePath: 'docs/requirements.txt', name: 'rest' }), 'front 1'],
  ['licence', () => ({ license: ['MIT'] }), 'front 1, back 1, tools 2'],
  ['licence, any letter case', () => ({ license: ['mit'] }), 'front 1, back 1, tools 2'],
  ['licence in an expression', () => ({ license: ['Apache-2.0'] }), 'back 2'],
  ['either licence', () => ({ license: ['ISC', 'GPL-2.0-only'] }), 'front 1, back 1'],
  ['licence with an exception', () => ({ license: ['GPL-2.0-only'] }), 'back 1'],
  ['an exception is not a licence', () => ({ license: ['Classpath-exception-2.0'] }), ''],
  ['or later', () => ({ license: ['GPL-2.0-only+'] }), 'back 1'],
  ['licence and name', () => ({ license: ['MIT'], name: 'lodash' }), 'front 1, tools 2'],
  ['ecosystem', () => ({ ecosystem: ['maven', 'gem'] }), 'back 1, tools 2'],
  ['mix is hex', () => ({ ecosystem: ['mix'] }), 'tools 1'],
  ['ecosystem and name', () => ({ ecosystem: ['gem'], name: 'lodash' }), 'tools 1'],
  ['direct', () => ({ transitivity: ['DIRECT'] }), 'front 2, tools 1'],
  ['transitive', () => ({ transitivity: ['TRANSITIVE'] }), 'front 1'],
  ['direct, by name', () => ({ transitivity: ['DIRECT'], name: 'lodash' }), 'front 1, tools 1'],
  ['whole name', () => whole('lodash'), 'front 1, tools 2'],
  ['whole name, not a part of it', () => whole('odas'), ''],
  ['whole name, letter case counts in npm', () => whole('@acme/pad'), ''],
  ['whole name with a scope', () => whole('@acme/Pad'), 'front 1'],
  ['whole name, spelled otherwise (PEP 503)', () => whole('Django_Rest'), 'front 1, back 1'],
  ['whole name with a group', () => whole('org.log:core'), 'back 1, tools 1'],
  ['up to a version, with its builds', () => whole('built', { versionUpperBound: '<=1.0' }), 'builds 2'],
  ['below a version', () => whole('built', { versionUpperBound: '<1.0' }), ''],
  ['from a version on, with its builds', () => whole('built', { versionLowerBound: '1.0' }), 'builds 3'],
  ['above a version, without its builds', () => whole('built', { versionLowerBound: '>1.0' }), 'builds 1'],
  ['exact version', () => whole('lodash', { exactVersion: '4.17.21' }), 'tools 1'],
  [
    'exact version outranks bounds',
    () => whole('lodash', { exactVersion: '4.17.21', versionUpperBound: '<4' }),
    'tools 1',
  ],
  ['from, included', () => whole('lodash', { versionLowerBound: '4.17.15' }), 'front 1, tools 1'],
  ['from, operator', () => whole('lodash', { versionLowerBound: '>=4.17.15' }), 'front 1, tools 1'],
  ['above', () => whole('lodash', { versionLowerBound: '> 4.17.15' }), 'tools 1'],
  ['up to, included', () => whole('lodash', { versionUpperBound: '4.17.15' }), 'front 1, tools 1'],
  ['below', () => whole('lodash', { versionUpperBound: '<4.17.15' }), 'tools 1'],
  ['between', () => whole('lodash', { versionLowerBound: '>1', versionUpperBound: '<4.17.21' }), 'front 1'],
  ['numbers, not texts: 10 is above 9', () => whole('@acme/Pad', { versionLowerBound: '>9' }), 'front 1'],
  ['a pre-release is below (PEP 440)', () => whole('django-rest', { versionUpperBound: '<1.1.0' }), 'front 1, back 1'],
  ['a pre-release is above what came before', () => whole('django-rest', { versionLowerBound: '>1.0' }), 'back 1'],
  ['trailing zeros do not count in Maven', () => whole('org.log:core', { versionUpperBound: '<2.17.0' }), 'back 1'],
  ['the order of each ecosystem', () => whole('lodash', { versionUpperBound: '<1.0' }), 'tools 1'],
  [
    'bounds without a name',
    () => ({ packageFilters: [{ versionLowerBound: '4', versionUpperBound: '<5' }] }),
    'front 1, tools 1',
  ],
  [
    'part of a name with bounds',
    () => ({ packageFilters: [{ name: 'PAD', versionLowerBound: '>=2' }] }),
    'front 1, back 1',
  ],
  [
    'either package',
    () => ({ packageFilters: [{ name: 'jason' }, { name: 'lodash', exactNameMatch: true }] }),
    'front 1, tools 3',
  ],
  [
    'either part of a name, in as many ecosystems as half of all',
    () => ({
      ecosystem: ['npm', 'pypi', 'maven', 'cargo', 'pub', 'nuget'],
      packageFilters: [{ name: 'lod' }, { name: 'rest' }],
    }),
    'front 2, back 1, tools 1',
  ],
  [
    'a dependency that fits two filters counts once',
    () => ({ packageFilters: [{ name: 'lodash' }, { name: 'lod' }, { name: 'lodash', exactNameMatch: true }] }),
    'front 1, tools 2',
  ],
  ['package filters and name', () => ({ name: 'left', ...whole('leftpad') }), 'front 1, tools 1'],
  ['package filters and another name', () => ({ name: 'lodash', ...whole('leftpad') }), ''],
  ['package filters and version', () => ({ version: '1.0.0', packageFilters: [{ name: 'pad' }] }), 'front 1, tools 1'],
  [
    'package filters and a version outside',
    () => ({ version: '3.0.0', ...whole('lodash', { versionLowerBound: '4' }) }),
    '',
  ],
  [
    'everything together',
    () => ({
      name: 'LOD',
      version: '4.17.15',
      repositoryId: [ids.front!, ids.old!],
      lockfilePath: 'package-lock.json',
      license: ['MIT'],
      ecosystem: ['npm'],
      transitivity: ['DIRECT'],
      includeArchived: true,
      ...whole('lodash', { versionUpperBound: '<4.17.21' }),
    }),
    'front 1, old 1',
  ],
]

for (const [name, filter, expected] of cases) {
  test(name, async () => assert.equal(await find(filter()), expected))
}

const refused: [string, object, number, string][] = [
  ['unknown field', { nam: 'x' }, 400, '/dependencyFilter/nam'],
  ['unknown ecosystem', { ecosystem: ['npmjs'] }, 400, '/dependencyFilter/ecosystem/0'],
  ['unknown transitivity', { transitivity: ['direct'] }, 400, '/dependencyFilter/transitivity/0'],
  [
    'asks for nothing',
    { packageFilters: [{ name: 'x' }, { exactNameMatch: true }] },
    400,
    '/dependencyFilter/packageFilters/1',
  ],
  [
    'wrong operator',
    { packageFilters: [{ versionLowerBound: '<1' }] },
    400,
    '/dependencyFilter/packageFilters/0/versionLowerBound',
  ],
  [
    'no version',
    { packageFilters: [{ versionUpperBound: '<=' }] },
    400,
    '/dependencyFilter/packageFilters/0/versionUpperBound',
  ],
  [
    'upper below lower',
    { packageFilters: [{ versionLowerBound: '2', versionUpperBound: '1' }] },
    422,
    '/dependencyFilter/packageFilters/0/versionUpperBound',
  ],
  [
    'nothing between',
    { packageFilters: [{ versionLowerBound: '>2', versionUpperBound: '<=2' }] },
    422,
    '/dependencyFilter/packageFilters/0/versionUpperBound',
  ],
  [
    'no version of the ecosystem',
    { ecosystem: ['npm'], packageFilters: [{ versionLowerBound: '>=latest' }] },
    422,
    '/dependencyFilter/packageFilters/0/versionLowerBound',
  ],
  ...['<4.17.x', '<4.17.*', '<4,17,21', '<4.17.21 || 5.0.0', '<banana'].flatMap((versionUpperBound) =>
    [['npm'], []].map((ecosystem): (typeof refused)[number] => [
      `${versionUpperBound} is not a version ${ecosystem.length > 0 ? 'of npm' : 'anywhere'}`,
      { ecosystem, packageFilters: [{ name: 'lodash', versionUpperBound }] },
      422,
      '/dependencyFilter/packageFilters/0/versionUpperBound',
    ]),
  ),
]

for (const [name, dependencyFilter, status, pointer] of refused) {
  test(`refused: ${name}`, async () => {
    for (const list of ['repositories', 'dependencies']) {
      const answer = await gatehouse.call('POST', `${path}/${list}`, { body: { dependencyFilter } })
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.equal(answer.body.errors[0].pointer, pointer)
    }
  })
}

test('the id in the body must be the one in the path; a page has 1 to 100 entries', async () => {
  const { deploymentId } = gatehouse.owner
  const bodies: [object, number][] = [
    [{ deploymentId: String(deploymentId) }, 200],
    [{ deploymentId }, 200],
    [{ deploymentId: '987' }, 400],
    [{ pageSize: 0 }, 400],
    [{ pageSize: 101 }, 400],
    [{ pageSize: 100, cursor: 0 }, 200],
    [{ cursor: -1 }, 400],
  ]
  for (const [body, status] of bodies) {
    assert.equal((await gatehouse.call('POST', `${path}/repositories`, { body })).status, status, JSON.stringify(body))
  }
})

test('a repository is summed up with its dependencies, and whether paths are known', async () => {
  const { body } = await gatehouse.call('POST', `${path}/repositories`, {
    body: { dependencyFilter: { name: 'rest' } },
  })
  assert.deepEqual(body, {
    repositorySummaries: [
      { id: ids.front, name: 'shop/front', numDependencies: 1, hasDependencyPathScan: true },
      { id: ids.back, name: 'shop/back', numDependencies: 1, hasDependencyPathScan: false },
    ],
    hasMore: false,
    cursor: ids.back,
  })
})

test('a dependency is listed with all that is known of it', async () => {
  const { body } = await gatehouse.call('POST', `${path}/dependencies`, {
    body: { dependencyFilter: whole('@acme/Pad') },
  })
  assert.deepEqual(body, {
    dependencies: [
      {
        repositoryId: ids.front,
        repositoryName: 'shop/front',
        ecosystem: 'npm',
        name: '@acme/Pad',
        version: '10.0.0',
        transitivity: 'DIRECT',
        development: false,
        license: 'ISC',
        licenses: ['ISC'],
        lockfilePath: 'package-lock.json',
        line: body.dependencies[0].line,
        resolved: '',
      },
    ],
    hasMore: false,
    cursor: '',
  })
})

test('a name that is typed in another spelling is completed to the one that was uploaded', async () => {
  const names = async (text: string) => (await gatehouse.call('GET', `${path}/package-names?text=${text}`)).body.names
  const django = { ecosystem: 'pypi', name: 'Django_Rest' }
  for (const text of ['django.rest', 'DJANGO--R', 'o.rest']) assert.deepEqual(await names(text), [django], text)
  assert.deepEqual(await names('left.'), [])
})
