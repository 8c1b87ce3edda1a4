import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  clientFromGo,
  clientFromPypi,
  isInstalled,
  makeProject,
  type Ran,
  runClient,
} from './clients/package-clients.ts'
import { often } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

function trivy(...ids: string[]): string {
  const Vulnerabilities = ids.map((id) => ({
    VulnerabilityID: id,
    PkgName: 'urllib3',
    InstalledVersion: '1.26.3',
    Severity: 'HIGH',
  }))
  const Results = [{ Target: 'requirements.txt', Class: 'lang-pkgs', Type: 'pip', Vulnerabilities }]
  return JSON.stringify({ SchemaVersion: 2, ArtifactName: '.', ArtifactType: 'filesystem', Results })
}

async function statesOf(repository: string): Promise<string[]> {
  const path = `/api/findings/${gatehouse.owner.deploymentId}/findings/search`
  const { body } = await gatehouse.call('POST', path, { body: { filter: {}, pageSize: 100 } })
  type Found = { repository: string; ruleId: string; triageState: string }
  const own = (body.findings as Found[]).filter((one) => one.repository === repository)
  return own.map((one) => `${one.ruleId} ${one.triageState}`).sort()
}

test('curl imports a report', async (t) => {
  if (!isInstalled('curl')) return t.skip('curl is not installed here')
  const folder = makeProject({ 'trivy.json': trivy('CVE-2021-33503') })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const fields = [
    'scan_type=Trivy Scan',
    'file=@trivy.json',
    'product_name=group/curl',
    'engagement_name=CI',
    'auto_create_context=true',
  ]
  const args = ['-sS', '--fail-with-body', '-H', `Authorization: Token ${gatehouse.owner.token}`]
  const { code, output } = await runClient(
    'curl',
    [...args, ...fields.flatMap((field) => ['-F', field]), `${gatehouse.url}/api/v2/import-scan/`],
    { folder },
  )
  assert.equal(code, 0, output)
  assert.equal(JSON.parse(output).statistics.delta.created.total.total, 1)
})

test('dd-import makes what it needs, imports, and imports again', async (t) => {
  const client = await clientFromPypi('dd-import', '1.0.12')
  if (!client) return t.skip('dd-import 1.0.12 cannot be had from PyPI here')
  const folder = makeProject({
    'two.json': trivy('CVE-2021-33503', 'CVE-2021-28363'),
    'one.json': trivy('CVE-2021-28363'),
    'broken.json': '{"SchemaVersion": 2,',
  })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const reimport = (file: string): Promise<Ran> =>
    runClient('python3', ['-m', 'dd_import.dd_reimport_findings'], {
      folder,
      env: {
        PYTHONPATH: client,
        DD_URL: gatehouse.url,
        DD_API_KEY: gatehouse.owner.token,
        DD_PRODUCT_TYPE_NAME: 'Showcase',
        DD_PRODUCT_NAME: 'group/dd-import',
        DD_ENGAGEMENT_NAME: 'GitLab',
        DD_TEST_NAME: 'Trivy',
        DD_TEST_TYPE_NAME: 'Trivy Scan',
        DD_FILE_NAME: join(folder, file),
        DD_BRANCH_TAG: 'main',
        DD_COMMIT_HASH: 'a'.repeat(40),
      },
    })
  const first = await reimport('two.json')
  assert.equal(first.code, 0, first.output)
  assert.match(first.output, /New product type.*New product.*New engagement.*New test.*Scan results imported/s)
  const second = await reimport('one.json')
  assert.match(second.output, /Product found.*Engagement found.*Test found.*Scan results imported/s)
  assert.deepEqual(await statesOf('group/dd-import'), [
    'CVE-2021-28363 TRIAGE_STATE_OPEN',
    'CVE-2021-33503 TRIAGE_STATE_FIXED',
  ])
  const broken = await reimport('broken.json')
  assert.equal(broken.code, 1)
  assert.match(broken.output, /400 Client Error/)
})

test('Gitleaks finds a secret in a repository: its JSON and its SARIF are one finding, without the secret', async (t) => {
  const program = await gitleaks()
  if (!program) return t.skip('gitleaks is not installed here; npm run test:deep builds it where Go can get it')
  // Put together here, so that nobody takes this file for one that has a secret.
  const secret = ['ghp', 'q7Rk2Vw9Zs4Xt8Lm3Bn6Cd1Fg5Hj0Kp2Yu7E'].join('_')
  const folder = makeProject({ 'deploy/settings.env': `# where we push\nGITHUB_TOKEN=${secret}\n` })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const scanTo = (format: string) =>
    runClient(
      program,
      ['dir', 'deploy', '--no-banner', '--report-format', format, '--report-path', `leaks.${format}`],
      {
        folder,
      },
    )
  for (const format of ['json', 'sarif']) {
    const { code, output } = await scanTo(format)
    assert.equal(code, 1, output)
  }
  const importAs = async (scanType: string, file: string) => {
    const form = new FormData()
    form.set('scan_type', scanType)
    form.set('product_name', 'group/gitleaks')
    form.set('engagement_name', 'CI')
    form.set('auto_create_context', 'true')
    form.set('file', new Blob([readFileSync(join(folder, file))]), file)
    const headers = { authorization: `Token ${gatehouse.owner.token}` }
    const answer = await fetch(`${gatehouse.url}/api/v2/import-scan/`, { method: 'POST', headers, body: form })
    const text = await answer.text()
    assert.equal(answer.status, 201, text)
    assert.ok(!text.includes(secret))
    return JSON.parse(text).statistics.delta.created.total.total
  }
  assert.equal(await importAs('Gitleaks Scan', 'leaks.json'), 1)
  assert.deepEqual(await statesOf('group/gitleaks'), ['github-pat TRIAGE_STATE_OPEN'])
  for (const file of ['leaks.json', 'leaks.sarif']) await uploadRaw('group/both', join(folder, file), file)
  assert.deepEqual(await statesOf('group/both'), ['github-pat TRIAGE_STATE_OPEN'])
  const path = `/api/findings/${gatehouse.owner.deploymentId}/findings/search`
  const { body } = await gatehouse.call('POST', path, { body: { filter: {}, pageSize: 100 } })
  assert.ok(!JSON.stringify(body).includes(secret), 'the secret is told')
})

/** As a scan of the main branch that has this file and no other. */
async function uploadRaw(repository: string, place: string, path: string): Promise<void> {
  const query = new URLSearchParams({ repository, ref: 'main', path })
  const address = `${gatehouse.url}/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans/raw?${query}`
  const headers = { authorization: `Bearer ${gatehouse.owner.token}`, 'content-type': 'application/octet-stream' }
  const answer = await fetch(address, { method: 'POST', headers, body: readFileSync(place) })
  assert.equal(answer.status, 200, await answer.text())
}

/** The one of this machine; where there is none it is built, which takes minutes. */
async function gitleaks(): Promise<string | undefined> {
  if (isInstalled('gitleaks')) return 'gitleaks'
  return often(1) > 1 ? clientFromGo('github.com/zricethezav/gitleaks/v8', 'v8.30.0', 'gitleaks') : undefined
}
