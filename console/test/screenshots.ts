import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser, settled, signIn, visit } from './browser.ts'

/**
 * Pictures of the main views, so that people can look: of a Gatehouse that runs, for example `gatehouse demo`, or one that
 * was just started, for the empty ones. GATEHOUSE_URL, GATEHOUSE_EMAIL and GATEHOUSE_PASSWORD say which; the first argument is
 * the folder they go to, others narrow the views down by their names.
 */
const { GATEHOUSE_URL: url = '', GATEHOUSE_EMAIL: email = '', GATEHOUSE_PASSWORD: password = '' } = process.env
const folder = process.argv[2] ?? 'screenshots'

const views: Record<string, string> = {
  overview: '',
  findings: 'findings',
  'findings-grouped': 'findings?group=rule',
  finding: 'findings/1',
  'findings-empty': 'findings?text=zzzz',
  repositories: 'repositories',
  repository: 'repositories/1',
  'pull-requests': 'repositories/1/pull-requests',
  'pull-request': 'repositories/1/pull-requests/101',
  scans: 'scans',
  receipt: 'scans/1',
  dependencies: 'dependencies?ecosystem=npm&name=lodash&below=4.17.21',
  package: 'packages/npm/lodash',
  vulnerabilities: 'vulnerabilities',
  licences: 'licences',
  firewall: 'firewall',
  'firewall-exposures': 'firewall/exposures',
  'firewall-held': 'firewall/held',
  'firewall-set-up': 'firewall/set-up',
  issues: 'issues',
  policies: 'policies',
  automations: 'automations',
  backlog: 'reports/backlog',
  trends: 'reports/trends',
}
const widths = [1_440, 1_000, 360]
const wanted = process.argv.slice(3)

mkdirSync(folder, { recursive: true })
const browser = await openBrowser()
try {
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of widths) {
      const one = await visit(browser, { scheme, width })
      await signIn(one, url, email, password)
      const base = /^.*\/d\/[^/]+/.exec(one.page.url())![0]
      for (const [name, path] of Object.entries(views)) {
        if (wanted.length > 0 && !wanted.includes(name)) continue
        await one.page.goto(`${base}/${path}`)
        await settled(one.page)
        await one.page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) })
      }
      if (one.complaints.length > 0) console.error(one.complaints.join('\n'))
      await one.context.close()
    }
  }
} finally {
  await browser.close()
}
