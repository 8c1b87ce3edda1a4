import { type LogResult, sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { packageLock, upload } from '../../src/capabilities/scans/test-upload.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'

/** Texts that try to be more than text, each as a title, message, path, rule or piece of code. */
export const hostile: readonly string[] = [
  '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>',
  '"><svg onload=window.pwned=1>{{constructor.constructor("window.pwned=1")()}}$' + '{window.pwned=1}',
  'src/\u202etxt.exe\u2066\u200bjs',
  '\u001b[31mred\u001b[0m\u0007',
  'x'.repeat(10_000),
  'שלום עולם مرحبا',
  'javascript:window.pwned=1',
]

function hostileResults(): LogResult[] {
  return hostile.map((text, index) => ({
    rule: text.slice(0, 400),
    path: `src/${index}/${text.slice(0, 200).replaceAll('\u001b', '').replaceAll('\u0007', '')}.js`,
    code: text,
    message: text,
    level: 'error',
  }))
}

/** A Gatehouse with its console, and enough in it that every page has something to show. */
export async function openWorld(): Promise<TestGatehouse> {
  const gatehouse = await openGatehouse({ console: buildConsole() })
  const many: LogResult[] = Array.from({ length: 230 }, (_, index) => ({
    rule: index % 3 === 0 ? 'sql-injection' : 'weak-hash',
    path: `src/file-${index}.js`,
    line: index + 1,
    code: `query(input) // ${index}`,
    message: `Input reaches a query, place ${index}`,
    level: index % 3 === 0 ? 'error' : 'warning',
  }))
  const lock = packageLock({ lodash: '4.17.20', minimist: '1.2.5' })
  await send(
    gatehouse,
    { repository: 'shop/web' },
    { 'package-lock.json': lock, 'log.sarif': sarifLog({ results: many }) },
  )
  await send(gatehouse, { repository: 'shop/api' }, { 'package-lock.json': packageLock({ lodash: '4.17.15' }) })
  await send(
    gatehouse,
    { repository: 'evil/one' },
    { 'log.sarif': sarifLog({ tool: 'Hostile', results: hostileResults() }) },
  )
  const change = {
    repository: 'shop/web',
    ref: 'change-7',
    kind: 'SCAN_KIND_PULL_REQUEST',
    pullRequest: 7,
    baseRef: 'main',
  }
  await send(gatehouse, change, {
    'log.sarif': sarifLog({ results: [{ rule: 'sql-injection', path: 'src/new.js', code: 'query(more)', line: 3 }] }),
  })
  return gatehouse
}

async function send(gatehouse: TestGatehouse, scan: object, files: Record<string, string>): Promise<void> {
  const answer = await upload(gatehouse, scan, files)
  if (answer.status !== 200) throw new Error(`no upload: ${JSON.stringify(answer.body)}`)
}

/** Every page, below the deployment. */
export const pages: readonly string[] = [
  '',
  'findings',
  'findings/1',
  'findings?group=package',
  'repositories',
  'repositories/1',
  'repositories/1/dependencies',
  'repositories/1/branches',
  'repositories/1/pull-requests',
  'repositories/1/pull-requests/7',
  'repositories/1/scans',
  'repositories/1/settings',
  'pull-requests',
  'pull-requests?blocked=yes&over=no',
  'scans',
  'scans/1',
  'scans/upload',
  'dependencies',
  'dependencies?ecosystem=npm&name=lodash&below=4.17.21',
  'dependencies/watched',
  'packages/npm/lodash',
  'vulnerabilities',
  'vulnerabilities/CVE-2021-44906',
  'licences',
  'firewall',
  'firewall/blocked',
  'firewall/exposures',
  'firewall/held',
  'firewall/rules',
  'firewall/overrides',
  'firewall/names',
  'firewall/exceptions',
  'firewall/refused?ecosystem=npm&package=left-pad@1.3.0',
  'firewall/settings',
  'firewall/set-up',
  'reports/guardrails',
  'reports/funnel',
  'reports/activity',
  'reports/backlog',
  'reports/trends',
  'reports/firewall',
  'nowhere',
]

/** The pages of what a deployment is governed by; they need no scans. */
export const governPages: readonly string[] = [
  'issues',
  'issues/1',
  'policies',
  'policies/1',
  'ruleboards',
  'ruleboards/code',
  'automations',
  'automations/new',
  'automations/1/runs',
  'memories',
  'memories?stage=live',
  'memories/1',
  'settings',
  'settings/people',
  'settings/sign-in-providers',
  'settings/provisioning',
  'settings/teams',
  'settings/teams/1',
  'settings/tokens',
  'settings/service-accounts',
  'settings/ci-trusts',
  'settings/registries',
  'settings/devops-apps',
  'settings/pull-request-feedback',
  'settings/ticketing',
  'settings/chat',
  'settings/cloud-security',
  'settings/audit',
  'settings/system',
]
