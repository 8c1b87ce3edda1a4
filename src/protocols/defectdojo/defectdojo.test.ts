import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { type Answer, openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { recordCall } from '../../../test/record-examples.ts'
import { recount } from '../../capabilities/findings/public.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_NEW_PEOPLE_SEE: 'teams' } })
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

/** A report of Semgrep with these findings, each a rule and a severity. */
function semgrep(...found: [rule: string, severity?: string][]): string {
  const results = found.map(([rule, severity = 'ERROR']) => ({
    check_id: rule,
    path: 'src/a.py',
    start: { line: 7, col: 1 },
    end: { line: 7, col: 9 },
    extra: { message: `${rule} found`, severity, lines: `code of ${rule}`, metadata: {} },
  }))
  return JSON.stringify({ version: '1.99.0', results, errors: [] })
}

type Fields = Record<string, string>

async function send(
  path: string,
  fields: Fields,
  report: string | undefined,
  token = gatehouse.owner.token,
): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (report !== undefined) form.append('file', new Blob([report]), 'report.json')
  const response = await fetch(gatehouse.url + path, {
    method: 'POST',
    headers: { authorization: `Token ${token}` },
    body: form,
  })
  const answer: Answer = { status: response.status, headers: response.headers, body: await response.json() }
  if (answer.status === 201) {
    const made = { method: 'POST', url: path, mediaType: 'application/json', answer: answer.body }
    recordCall({ ...made, body: { ...fields, file: report } })
  }
  return answer
}

const importScan = (fields: Fields, report?: string, token?: string) =>
  send('/api/v2/import-scan/', { scan_type: 'Semgrep JSON Report', ...fields }, report, token)
const reimportScan = (fields: Fields, report?: string, token?: string) =>
  send('/api/v2/reimport-scan/', { scan_type: 'Semgrep JSON Report', ...fields }, report, token)

async function ask(method: string, path: string, body?: object, token = gatehouse.owner.token) {
  const headers = { authorization: `Token ${token}` }
  const answer = await gatehouse.call(method, path, { as: '', headers, ...(body && { body }) })
  const made = { method, url: path, body, mediaType: 'application/json', answer: answer.body }
  if (answer.status === 201) recordCall(made)
  return answer
}

const context = (product: string, more: Fields = {}): Fields => ({
  product_name: product,
  engagement_name: 'CI',
  auto_create_context: 'true',
  ...more,
})

async function open(repository: string): Promise<string[]> {
  const rows = await gatehouse.db.as(gatehouse.owner).query<{ shown: string }>(sql`
    select concat_ws(' ', u.external_id, f.state) as shown from repository r
    join finding f on f.deployment_id = r.deployment_id and f.repository_id = r.id
    join finding_rule u on u.deployment_id = f.deployment_id and u.id = f.rule_id
    where r.deployment_id = ${gatehouse.owner.deploymentId} and r.name = ${repository} order by 1`)
  return rows.map((row) => row.shown)
}

const deltas = (body: { statistics: { delta: Record<string, { total: { total: number } }> } }) =>
  Object.fromEntries(Object.entries(body.statistics.delta).map(([name, { total }]) => [name, total.total]))

test('an import raises findings once, however often it is sent', async () => {
  const fields = context('dojo/once', { branch_tag: 'main', commit_hash: 'a'.repeat(40) })
  const first = await importScan(fields, semgrep(['a'], ['b']))
  assert.equal(first.status, 201, JSON.stringify(first.body))
  assert.deepEqual(deltas(first.body), { created: 2, reactivated: 0, closed: 0, untouched: 0 })
  assert.equal(first.body.test_title, 'Semgrep JSON Report')
  const again = await importScan(fields, semgrep(['a'], ['b']))
  assert.deepEqual([again.body.scan_id, again.body.test_id], [first.body.scan_id, first.body.test_id])
  assert.deepEqual(await open('dojo/once'), ['a 1', 'b 1'])
})

test('an import fixes nothing unless it is told to close old findings', async () => {
  const fields = context('dojo/close')
  await importScan(fields, semgrep(['a'], ['b']))
  const later = await importScan(fields, semgrep(['b'], ['c']))
  assert.deepEqual(deltas(later.body), { created: 1, reactivated: 0, closed: 0, untouched: 1 })
  assert.deepEqual(await open('dojo/close'), ['a 1', 'b 1', 'c 1'])
  const closing = await importScan({ ...fields, close_old_findings: 'True' }, semgrep(['b'], ['c']))
  assert.deepEqual(deltas(closing.body), { created: 0, reactivated: 0, closed: 1, untouched: 2 })
  assert.deepEqual(await open('dojo/close'), ['a 7', 'b 1', 'c 1'])
})

test('a reimport closes old findings unless it is told not to, and brings back what is found again', async () => {
  const fields = context('dojo/again')
  await reimportScan(fields, semgrep(['a'], ['b']))
  const kept = await reimportScan({ ...fields, close_old_findings: 'false' }, semgrep(['b']))
  assert.equal(deltas(kept.body).closed, 0)
  const closed = await reimportScan(fields, semgrep(['b']))
  assert.equal(deltas(closed.body).closed, 1)
  const back = await reimportScan(fields, semgrep(['a'], ['b']))
  assert.deepEqual(deltas(back.body), { created: 0, reactivated: 1, closed: 0, untouched: 1 })
})

test('a test, an engagement and a service fix only what is their own', async () => {
  const fields = context('dojo/apart')
  await reimportScan({ ...fields, test_title: 'image a' }, semgrep(['a']))
  await reimportScan({ ...fields, test_title: 'image b' }, semgrep(['b']))
  await reimportScan({ ...fields, engagement_name: 'Nightly' }, semgrep(['c']))
  await reimportScan({ ...fields, service: 'web' }, semgrep(['d']))
  await reimportScan({ ...fields, service: 'api' }, semgrep(['e']))
  assert.deepEqual(await open('dojo/apart'), ['a 1', 'b 1', 'c 1', 'd 1', 'e 1'])
  await reimportScan({ ...fields, test_title: 'image a' }, semgrep())
  await reimportScan({ ...fields, service: 'api' }, semgrep())
  assert.deepEqual(await open('dojo/apart'), ['a 7', 'b 1', 'c 1', 'd 1', 'e 7'])
})

test('below the minimum severity nothing is raised, and what is known is not called fixed', async () => {
  const fields = context('dojo/minimum')
  await reimportScan(fields, semgrep(['low', 'LOW'], ['gone', 'LOW']))
  const answer = await reimportScan(
    { ...fields, minimum_severity: 'High' },
    semgrep(['low', 'LOW'], ['new', 'LOW'], ['high']),
  )
  assert.deepEqual(deltas(answer.body).created, 1)
  assert.deepEqual(await open('dojo/minimum'), ['gone 7', 'high 1', 'low 1'])
})

test('nothing is made unless the client says so', async () => {
  const { auto_create_context: _, ...fields } = context('dojo/unknown')
  const product = await importScan(fields, semgrep(['a']))
  assert.equal(product.status, 400)
  assert.match(product.body.product_name[0], /There is no product 'dojo\/unknown'.*auto_create_context=true/)
  await ask('POST', '/api/v2/products/', { name: 'dojo/unknown' })
  const engagement = await importScan(fields, semgrep(['a']))
  assert.match(engagement.body.engagement_name[0], /There is no engagement 'CI'/)
  await importScan({ ...fields, auto_create_context: 'true' }, semgrep(['a']))
  const title = await reimportScan({ ...fields, test_title: 'other' }, semgrep(['a']))
  assert.match(title.body.test_title[0], /There is no test 'other'/)
  assert.equal((await importScan({ ...fields, test_title: 'other' }, semgrep(['a']))).status, 201)
})

const refusals: [fields: Fields, report: string | undefined, field: string, says: RegExp][] = [
  [{ scan_type: 'Fortify Scan' }, '{}', 'scan_type', /'Fortify Scan' is not read here.*SARIF/],
  [{ active: 'false' }, semgrep(), 'active', /always imported as open/],
  [{ do_not_reactivate: 'true' }, semgrep(), 'do_not_reactivate', /open again/],
  [{ minimum_severity: 'Severe' }, semgrep(), 'minimum_severity', /'Severe' is not a severity/],
  [{ scan_date: '2999-01-01' }, semgrep(), 'scan_date', /future/],
  [{ scan_date: 'today' }, semgrep(), 'scan_date', /YYYY-MM-DD/],
  [{ commit_hash: 'main' }, semgrep(), 'commit_hash', /hexadecimal/],
  [{ branch_tag: 'a b' }, semgrep(), 'branch_tag', /name of a branch/],
  [{ product_name: '/x/' }, semgrep(), 'product_name', /./],
  [{ product_name: '' }, semgrep(), 'product_name', /Say product_name/],
  [{ engagement_name: '' }, semgrep(), 'engagement_name', /Say engagement_name/],
  [{}, undefined, 'file', /field file/],
  [{}, 'not a report', 'file', /None of the files can be read/],
  [{ scan_type: 'Trivy Scan' }, semgrep(['a']), 'file', /format semgrep-json, and was announced as trivy-json/],
]

test('what is not taken is refused at the field, in the words of DefectDojo', async () => {
  for (const [fields, report, field, says] of refusals) {
    const { status, body } = await importScan({ ...context('dojo/refused'), ...fields }, report)
    assert.equal(status, 400, JSON.stringify(body))
    assert.deepEqual(Object.keys(body), [field])
    assert.match(body[field][0], says)
  }
  assert.deepEqual(await open('dojo/refused'), [])
})

test('without a token, or with one that may not upload, nothing is told', async () => {
  const none = await importScan(context('dojo/door'), semgrep(), 'nonsense')
  assert.deepEqual([none.status, Object.keys(none.body)], [401, ['detail']])
  const reader = await gatehouse.addPerson('readonly')
  const forbidden = await importScan(context('dojo/door'), semgrep(), reader.token)
  assert.deepEqual([forbidden.status, Object.keys(forbidden.body)], [403, ['detail']])
  const missing = await ask('GET', '/api/v2/nothing/')
  assert.deepEqual([missing.status, Object.keys(missing.body)], [404, ['detail']])
})

test('a product is looked up by its name, and below it engagements and tests', async () => {
  const type = await ask('POST', '/api/v2/product_types/', { name: 'Web', description: 'ignored' })
  assert.deepEqual(
    [type.status, (await ask('GET', '/api/v2/product_types/?name=Web')).body.results],
    [201, [type.body]],
  )
  assert.deepEqual((await ask('GET', '/api/v2/products/?name=dojo/looked')).body, {
    count: 0,
    next: null,
    previous: null,
    results: [],
  })
  const product = await ask('POST', '/api/v2/products/', { name: 'dojo/looked', prod_type: type.body.id })
  assert.deepEqual((await ask('GET', '/api/v2/products/?name=dojo/looked&prod_type=1')).body.results, [product.body])
  const asked = { name: 'CI', product: product.body.id, target_start: '2026-01-01', target_end: '2999-12-31' }
  const engagement = await ask('POST', '/api/v2/engagements/', asked)
  const found = await ask('GET', `/api/v2/engagements/?name=CI&product=${product.body.id}`)
  assert.deepEqual(found.body.results, [engagement.body])
  const [kind] = (await ask('GET', '/api/v2/test_types/?name=Semgrep%20JSON%20Report')).body.results
  const made = { title: 'Nightly', engagement: engagement.body.id, test_type: kind.id }
  const one = await ask('POST', '/api/v2/tests/', made)
  const listed = await ask('GET', `/api/v2/tests/?title=Nightly&engagement=${engagement.body.id}`)
  assert.deepEqual(listed.body.results, [one.body])
  const again = await ask('POST', '/api/v2/tests/', made)
  assert.equal(again.body.id, one.body.id)
  const answer = await reimportScan({ test: String(one.body.id) }, semgrep(['a']))
  assert.deepEqual([answer.status, answer.body.test, answer.body.product_name], [201, one.body.id, 'dojo/looked'])
  const patched = await ask('PATCH', `/api/v2/engagements/${engagement.body.id}/`, {
    branch_tag: 'main',
    build_id: '7',
  })
  assert.deepEqual([patched.status, patched.body], [200, engagement.body])
  const environment = await ask('GET', '/api/v2/development_environments/?name=Staging')
  assert.equal(environment.body.results[0].name, 'Staging')
  const unnamed = await ask('GET', '/api/v2/products/')
  assert.deepEqual([unnamed.status, unnamed.body], [400, { name: ['Only lookups are served: say name.'] }])
  const other = await reimportScan({ test: String(one.body.id), scan_type: 'Trivy Scan' }, '{}')
  assert.match(other.body.scan_type[0], /is of Semgrep JSON Report, not of Trivy Scan/)
})

test('what belongs to a repository is not told to those who do not see it', async () => {
  const made = await importScan(context('dojo/hidden'), semgrep(['a']))
  const stranger = await gatehouse.addPerson('member')
  const { product_id: product, engagement_id: engagement, test_id: id } = made.body
  const asStranger = (path: string) => ask('GET', path, undefined, stranger.token)
  assert.deepEqual((await asStranger('/api/v2/products/?name=dojo/hidden')).body.results, [])
  const refused = await asStranger(`/api/v2/engagements/?product=${product}&name=CI`)
  assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ['product']])
  assert.equal((await asStranger(`/api/v2/tests/?engagement=${engagement}&title=x`)).status, 400)
  assert.equal((await reimportScan({ test: String(id) }, semgrep(), stranger.token)).status, 400)
  const claimed = await ask('POST', '/api/v2/products/', { name: 'dojo/hidden' }, stranger.token)
  assert.equal(claimed.status, 400)
  assert.deepEqual(await open('dojo/hidden'), ['a 1'])
})

test('the same names are others in another deployment', async () => {
  const other = await gatehouse.addDeployment()
  const ours = await importScan(context('dojo/tenant'), semgrep(['a']))
  const found = await ask('GET', '/api/v2/products/?name=dojo/tenant', undefined, other.as)
  assert.deepEqual(found.body.results, [])
  const theirs = await reimportScan({ test: String(ours.body.test_id) }, semgrep(), other.as)
  assert.equal(theirs.status, 400)
})

test('a bill of materials becomes a part of the inventory, and lockfiles stay', async () => {
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    components: [{ type: 'library', name: 'b', version: '1', purl: 'pkg:npm/b@1.0.0' }],
  }
  const answer = await importScan({ ...context('dojo/bill'), scan_type: 'CycloneDX Scan' }, JSON.stringify(bill))
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const rows = await gatehouse.db.as(gatehouse.owner).query<{ name: string }>(sql`select p.name from repository r
    join dependency d on d.deployment_id = r.deployment_id and d.repository_id = r.id
    join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
    where r.deployment_id = ${gatehouse.owner.deploymentId} and r.name = 'dojo/bill'`)
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['b'],
  )
})
