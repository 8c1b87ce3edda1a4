import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommand } from '../../../../test/clients/command-line.ts'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { startCiIssuer } from '../../../sandbox/code-hosts/ci-issuer.ts'

let gatehouse: TestGatehouse
let issuer: Awaited<ReturnType<typeof startCiIssuer>>
let folder: string
const commit = '1f0c4b2a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'
before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-job-')))
  writeFileSync(join(folder, 'go.sum'), 'golang.org/x/text v0.3.0 h1:g61tztE5qeGQ89tm6NTjjM9VPIm088od1l6aSorWRWg=\n')
  issuer = await startCiIssuer()
  gatehouse = await openGatehouse({ env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' } })
  const { deploymentId, jwt: as } = gatehouse.owner
  const accounts = `/api/service-accounts/v1/deployments/${deploymentId}/service-accounts`
  const { id } = (await gatehouse.call('POST', accounts, { as, body: { name: 'CI' } })).body.serviceAccount
  const trust = { serviceAccountId: id, issuer: issuer.url, audience: gatehouse.url, permissions: ['scans:write'] }
  const github = { ...trust, provider: 'github', conditions: [{ claim: 'repository_owner_id', values: ['1'] }] }
  const gitlab = { ...trust, provider: 'gitlab', conditions: [{ claim: 'namespace_id', values: ['2'] }] }
  for (const [name, body] of Object.entries({ github, gitlab })) {
    const path = `/api/tokens/v1/deployments/${deploymentId}/ci-trusts`
    const made = await gatehouse.call('POST', path, { as, body: { name, ...body } })
    assert.equal(made.status, 200, JSON.stringify(made.body))
  }
})
after(async () => {
  await gatehouse.close()
  await issuer.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (args: string[], env: Record<string, string>) =>
  runCommand(args, { cwd: folder, env: { GATEHOUSE_URL: gatehouse.url, ...env } })

test('in GitHub Actions a scan needs no token: the job asks for its own and exchanges it', async () => {
  const claims = { repository: 'shop/web', repository_id: '5', repository_owner_id: '1', ref: 'refs/heads/main' }
  issuer.control.job = { claims: { ...claims, sha: commit }, token: 'of-this-run' }
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'shop/web',
    GITHUB_REF_NAME: 'main',
    GITHUB_SHA: commit,
    ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/job-token?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-this-run',
  }
  const ran = await run(['scan', '--json'], env)
  assert.equal(ran.code, 0, ran.stderr)
  assert.equal(JSON.parse(ran.stdout).createdRepository, true)
  const other = await run(['scan', '--repository', 'shop/other'], env)
  assert.equal(other.code, 2)
  assert.match(other.stderr, /another repository, ref or pull request than its token/)
  const none = await run(['scan'], { ...env, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' })
  assert.match(none.stderr, /gives this job no ID token \(404\)/)
  for (const { stdout, stderr } of [ran, other, none]) assert.doesNotMatch(stdout + stderr, /gth_|eyJ|of-this-run/)
})

test('in GitLab CI an upload takes the ID token of the job', async () => {
  const claims = {
    aud: gatehouse.url,
    project_path: 'a/b',
    project_id: '3',
    namespace_id: '2',
    ref: 'main',
    ref_type: 'branch',
    sha: commit,
  }
  const env = {
    GITLAB_CI: 'true',
    CI_PROJECT_PATH: 'a/b',
    CI_COMMIT_REF_NAME: 'main',
    CI_COMMIT_SHA: commit,
    GATEHOUSE_ID_TOKEN: await issuer.sign(claims),
  }
  const ran = await run(['upload', 'go.sum', '--json'], env)
  assert.equal(ran.code, 0, ran.stderr)
  const wrong = await run(['upload', 'go.sum'], {
    ...env,
    GATEHOUSE_ID_TOKEN: await issuer.sign({ ...claims, namespace_id: '9' }),
  })
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /No CI trust of this deployment accepts this token/)
})
