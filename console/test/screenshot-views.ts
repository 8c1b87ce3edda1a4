import type { Page } from 'playwright-core'

export type View = {
  /** Below the deployment; with a leading slash, of the whole server. */
  path: string
  /** What a person would do there before the picture is taken. */
  open?: (page: Page) => Promise<void>
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
const openFirst = async (page: Page) => {
  await page.getByRole('row').nth(1).click()
  await page.waitForURL(/\/(findings|issues)\/\d+/)
}
const key = (name: string) => (page: Page) => page.keyboard.press(name)

/** What is worth looking at, by the name that its pictures get. */
export const views: Record<string, View> = {
  overview: { path: '' },
  findings: { path: 'findings' },
  'findings-grouped': { path: 'findings?group=rule' },
  'findings-by-package': { path: 'findings?group=package' },
  'findings-nothing-matches': { path: 'findings?text=zzzz' },
  'findings-filter': { path: 'findings', open: press(/^Severity/) },
  'findings-selected': { path: 'findings', open: selectTwo },
  finding: { path: 'findings', open: openFirst },
  'finding-code': { path: 'findings?kind=code', open: openFirst },
  'finding-secret': { path: 'findings?kind=secrets', open: openFirst },
  'finding-ignore': { path: 'findings', open: openThen('i') },
  issues: { path: 'issues' },
  issue: { path: 'issues', open: openFirst },
  dependencies: { path: 'dependencies' },
  'dependencies-asked': { path: 'dependencies?ecosystem=npm&name=lodash&below=4.17.21' },
  'watched-packages': { path: 'dependencies/watched' },
  package: { path: 'packages/npm/lodash' },
  'package-deny': { path: 'packages/npm/lodash', open: press(/^Deny/) },
  vulnerabilities: { path: 'vulnerabilities' },
  vulnerability: { path: 'vulnerabilities/CVE-2021-23337' },
  licences: { path: 'licences' },
  firewall: { path: 'firewall' },
  'firewall-blocked': { path: 'firewall/blocked' },
  'firewall-exposures': { path: 'firewall/exposures' },
  'firewall-held': { path: 'firewall/held' },
  'firewall-rules': { path: 'firewall/rules' },
  'firewall-overrides': { path: 'firewall/overrides' },
  'firewall-exceptions': { path: 'firewall/exceptions' },
  'firewall-names': { path: 'firewall/names' },
  'firewall-settings': { path: 'firewall/settings' },
  'firewall-set-up': { path: 'firewall/set-up' },
  repositories: { path: 'repositories' },
  repository: { path: 'repositories/1' },
  'repository-dependencies': { path: 'repositories/1/dependencies' },
  'repository-pull-requests': { path: 'repositories/1/pull-requests' },
  'repository-scans': { path: 'repositories/1/scans' },
  'repository-settings': { path: 'repositories/1/settings' },
  'pull-requests': { path: 'pull-requests' },
  'pull-request': { path: 'pull-requests?blocked=yes', open: openBlocked },
  scans: { path: 'scans' },
  receipt: { path: 'scans/1' },
  upload: { path: 'scans/upload' },
  policies: { path: 'policies' },
  policy: { path: 'policies/1' },
  ruleboards: { path: 'ruleboards' },
  automations: { path: 'automations' },
  automation: { path: 'automations/1' },
  'automation-new': { path: 'automations/new' },
  memories: { path: 'memories' },
  'report-guardrails': { path: 'reports/guardrails' },
  'report-funnel': { path: 'reports/funnel' },
  'report-activity': { path: 'reports/activity' },
  'report-backlog': { path: 'reports/backlog' },
  'report-trends': { path: 'reports/trends' },
  'report-firewall': { path: 'reports/firewall' },
  settings: { path: 'settings' },
  people: { path: 'settings/people' },
  'people-invite': { path: 'settings/people', open: press(/^Invite/) },
  teams: { path: 'settings/teams' },
  team: { path: 'settings/teams/1' },
  tokens: { path: 'settings/tokens' },
  'token-new': { path: 'settings/tokens', open: press(/token/) },
  'service-accounts': { path: 'settings/service-accounts' },
  'ci-trusts': { path: 'settings/ci-trusts' },
  registries: { path: 'settings/registries' },
  'devops-apps': { path: 'settings/devops-apps' },
  'pull-request-feedback': { path: 'settings/pull-request-feedback' },
  ticketing: { path: 'settings/ticketing' },
  chat: { path: 'settings/chat' },
  'cloud-security': { path: 'settings/cloud-security' },
  audit: { path: 'settings/audit' },
  system: { path: 'settings/system' },
  me: { path: '/me' },
  palette: { path: 'repositories', open: searchFor('log') },
  shortcuts: { path: 'repositories', open: key('?') },
  'not-found': { path: 'nowhere' },
}

async function selectTwo(page: Page): Promise<void> {
  await page.getByRole('row').nth(1).focus()
  for (const name of ['x', 'j', 'x']) await page.keyboard.press(name)
}

function openThen(name: string) {
  return async (page: Page) => {
    await openFirst(page)
    await page.keyboard.press(name)
  }
}

async function openBlocked(page: Page): Promise<void> {
  await page.getByRole('row').nth(1).click()
  await page.waitForURL(/\/pull-requests\/\d+/)
}

function searchFor(text: string) {
  return async (page: Page) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
    await page.getByRole('option').first().waitFor()
  }
}
