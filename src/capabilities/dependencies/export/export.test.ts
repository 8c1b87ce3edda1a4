import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { type Row, writeDependencies } from '../../../../test/many-dependencies.ts'
import type { Dependency } from '../contract.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
/** More than two pages of an export, in repositories of which some have none of what is asked for. */
const rows: Row[] = Array.from({ length: 1_300 }, (_, n) => ({
  repository: n % 8,
  name: n % 2 === 0 ? `@scope/package-${n}` : `package-${n}`,
  version: `1.${n}.0`,
  licence: 'MIT OR Apache-2.0',
  transitivity: 'D',
}))
const repositories = await writeDependencies(gatehouse, 10, rows)
const base = `/api/sca/deployments/${gatehouse.owner.deploymentId}/dependencies`

async function listAll(dependencyFilter: object): Promise<Dependency[]> {
  const all: Dependency[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await gatehouse.call('POST', base, { body: { dependencyFilter, ...(cursor && { cursor }) } })
    all.push(...body.dependencies)
    cursor = body.hasMore ? body.cursor : undefined
  }
  return all
}

async function exported(body: object, as = gatehouse.owner.token): Promise<{ response: Response; text: string }> {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' }
  const response = await fetch(`${gatehouse.url}${base}/export`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return { response, text: await response.text() }
}

test('JSON has every dependency as the list answers it', async () => {
  const { response, text } = await exported({})
  assert.match(response.headers.get('content-disposition') ?? '', /dependencies\.json/)
  const listed = await listAll({})
  assert.equal(listed.length, rows.length)
  assert.deepEqual(JSON.parse(text).dependencies, listed)
})

test('CSV has a line for each that matches, with its package URL, and no formula', async () => {
  const dependencyFilter = { name: '@scope/', repositoryId: [repositories[0], repositories[2]] }
  const { response, text } = await exported({ format: 'csv', dependencyFilter })
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/)
  const [head, ...lines] = text.trimEnd().split('\r\n')
  assert.equal(
    head,
    'repositoryId,repositoryName,ecosystem,name,version,purl,transitivity,development,license,lockfilePath,line,resolved',
  )
  const listed = await listAll(dependencyFilter)
  assert.ok(listed.length > 300)
  assert.equal(lines.length, listed.length)
  const [first] = listed
  assert.equal(
    lines[0],
    `${first!.repositoryId},${first!.repositoryName},npm,"'${first!.name}",${first!.version},pkg:npm/%40scope/${first!.name.slice(7)}@${first!.version},DIRECT,false,MIT OR Apache-2.0,package-lock.json,1,`,
  )
})

test('nothing found is a document, too', async () => {
  const dependencyFilter = { name: 'no such package' }
  assert.deepEqual(JSON.parse((await exported({ dependencyFilter })).text), { dependencies: [] })
  assert.equal((await exported({ format: 'csv', dependencyFilter })).text.split('\r\n').length, 2)
})

test('nobody takes along what they do not see', async () => {
  // In no team, and so they see no repository.
  const member = await gatehouse.addPerson('member')
  const { response, text } = await exported({}, member.token)
  assert.deepEqual([response.status, JSON.parse(text)], [200, { dependencies: [] }])
  assert.equal((await exported({}, '')).response.status, 401)
})

test('what is wrong with the question is said before anything is fetched', async () => {
  const nothingBetween = { packageFilters: [{ name: 'a', versionLowerBound: '>=2', versionUpperBound: '<1' }] }
  for (const path of ['export', 'exports']) {
    const ask = async (body: object) => (await gatehouse.call('POST', `${base}/${path}`, { body })).status
    assert.equal(await ask({ dependencyFilter: nothingBetween }), 422)
    assert.equal(await ask({ format: 'sarif' }), 400)
  }
})

test('a browser fetches it by GET, once, and with a ticket for dependencies nothing else', async () => {
  const prepare = async () => {
    const { body } = await gatehouse.call('POST', `${base}/exports`, { body: { format: 'csv' } })
    return body.path as string
  }
  const findings = `/api/findings/${gatehouse.owner.deploymentId}/exports`
  const other = (await prepare()).split('/').at(-1)
  assert.equal((await gatehouse.call('GET', `${findings}/${other}`)).status, 404)
  const path = await prepare()
  const fetched = await gatehouse.call('GET', path)
  assert.equal(fetched.status, 200)
  assert.equal(String(fetched.body).trimEnd().split('\r\n').length, rows.length + 1)
  assert.equal((await gatehouse.call('GET', path)).status, 404)
})
