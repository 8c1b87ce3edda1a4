import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser, settled, signIn, visit } from './browser.ts'

/**
 * Pictures of the main views, so that people can look: of a Gatehouse that runs, for example `gatehouse demo`.
 * GATEHOUSE_URL, GATEHOUSE_EMAIL and GATEHOUSE_PASSWORD say which; the argument is the folder they go to.
 */
const { GATEHOUSE_URL: url = '', GATEHOUSE_EMAIL: email = '', GATEHOUSE_PASSWORD: password = '' } = process.env
const folder = process.argv[2] ?? 'screenshots'

const views: Record<string, string> = {
  overview: '',
  findings: 'findings',
  finding: 'findings/1',
  'findings-empty': 'findings?text=zzzz',
  repositories: 'repositories',
  repository: 'repositories/1',
  scans: 'scans',
  receipt: 'scans/1',
  dependencies: 'dependencies?ecosystem=npm&name=lodash&below=4.17.21',
  package: 'packages/npm/lodash',
  vulnerabilities: 'vulnerabilities',
  licences: 'licences',
  firewall: 'firewall',
  'firewall-set-up': 'firewall/set-up',
  backlog: 'reports/backlog',
}
const widths = [1_440, 1_000, 360]

mkdirSync(folder, { recursive: true })
const browser = await openBrowser()
try {
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of widths) {
      const one = await visit(browser, { scheme, width })
      await signIn(one, url, email, password)
      const base = /^.*\/d\/[^/]+/.exec(one.page.url())![0]
      for (const [name, path] of Object.entries(views)) {
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
