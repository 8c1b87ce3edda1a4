import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { searchAll } from '../src/capabilities/findings/test-findings.ts'
import { inventoryOf } from '../src/capabilities/scans/test-upload.ts'
import { advisoryFolder } from '../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { clientFromPypi, makeProject, type Ran, runClient } from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

const skip = deepOnly('installing Semgrep and running it takes minutes')
/** What the last of the protocol of 2024 asks for differs. */
const versions = ['1.180.0', '1.93.0']

let gatehouse: TestGatehouse
const feed = advisoryFolder()
/** One for each version: a rule that one of them published would be run by the next. */
async function openFor(t: TestContext): Promise<void> {
  gatehouse = await openGatehouse()
  feed.put({
    id: 'GHSA-h5c8-rqwp-cp95',
    aliases: ['CVE-2024-22195'],
    summary: 'Cross-site scripting in Jinja2',
    affected: [
      {
        name: 'jinja2',
        ecosystem: 'PyPI',
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '3.1.3' }] }],
      },
    ],
  })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  t.after(() => gatehouse.close())
}
after(() => feed.remove())

const rule = (id: string) => `rules:
  - id: ${id}
    languages: [python]
    severity: ERROR
    message: Do not use eval.
    pattern: eval(...)
    metadata:
      cwe: ["CWE-95: Improper Neutralization of Directives in Dynamically Evaluated Code"]
`
/** What its findings in code are kept as. */
const code = 'sarif:semgrep:ci'
/** What the open-source engine of both reads. */
const lock = 'jinja2==3.1.2\n'

/** The client with a repository of its own, both gone at the end. */
async function open(t: TestContext, version: string) {
  const client = await clientFromPypi('semgrep', version)
  if (!client) {
    t.skip(`semgrep ${version} cannot be had from PyPI here`)
    return undefined
  }
  const repository = `clients/semgrep-${version}`
  const folder = makeProject({})
  const checkout = join(folder, 'checkout')
  const remote = join(folder, 'remote.git')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    PATH: `${join(client, 'bin')}:${process.env.PATH}`,
    PYTHONPATH: client,
    SEMGREP_APP_URL: gatehouse.url,
    SEMGREP_URL: gatehouse.url,
    SEMGREP_APP_TOKEN: gatehouse.owner.token,
    SEMGREP_SEND_METRICS: 'off',
    SEMGREP_ENABLE_VERSION_CHECK: '0',
    SEMGREP_REPO_NAME: repository,
    GIT_CONFIG_GLOBAL: '/dev/null',
  }

  const semgrep = (args: string[], more: Record<string, string> = {}): Promise<Ran> => {
    return runClient('semgrep', args, { folder: checkout, env: { ...env, ...more } })
  }
  const git = (...args: string[]): string => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main']
    return execFileSync('git', [...identity, ...args], {
      cwd: checkout,
      env: { PATH: process.env.PATH },
      stdio: 'pipe',
    })
      .toString()
      .trim()
  }
  const commit = (files: Record<string, string>): void => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(checkout, path)), { recursive: true })
      writeFileSync(join(checkout, path), content)
    }
    git('add', '-A')
    git('commit', '-qm', 'change')
    git('push', '-q', 'origin', 'HEAD')
  }
  mkdirSync(checkout)
  execFileSync('git', ['init', '-q', '--bare', remote])
  git('init', '-q')
  git('remote', 'add', 'origin', `file://${remote}`)
  writeFileSync(join(checkout, '.gitignore'), '.home\n')

  const ci = (more: Record<string, string> = {}) => semgrep(['ci', '--oss-only', '--no-suppress-errors'], more)
  /** As GitHub Actions runs it for a pull request. */
  const pullRequest = (base: string) => {
    const head = { ref: 'change', sha: git('rev-parse', 'HEAD') }
    const event = { number: 5, pull_request: { number: 5, head, base: { ref: 'main', sha: base }, title: 'Change' } }
    const path = join(folder, 'event.json')
    writeFileSync(path, JSON.stringify(event))
    return ci({
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: path,
      GITHUB_REPOSITORY: repository,
      GITHUB_REF: 'refs/pull/5/merge',
      GITHUB_SHA: head.sha,
    })
  }
  const states = async (source: string, pullRequest?: number): Promise<string[]> => {
    const where = pullRequest ? { pullRequest } : { pullRequests: 'none' }
    const found = await searchAll(gatehouse, { filter: { repositories: [repository], sources: [source], ...where } })
    return found.map((one) => `${one.path} ${one.ruleId} ${one.triageState.slice('TRIAGE_STATE_'.length)}`).sort()
  }
  return { repository, semgrep, git, commit, ci, pullRequest, states, folder }
}

async function ignore(repository: string, filter: object): Promise<void> {
  const body = { triageState: 'TRIAGE_STATE_IGNORED', filter: { repositories: [repository], ...filter } }
  const answer = await gatehouse.call('POST', '/api/findings/1/findings/triage', { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function block(ruleId: string): Promise<void> {
  const policies = '/api/policies/v1/deployments/1/policies'
  const body = { name: `Block ${ruleId}`, productType: 'PRODUCT_TYPE_SAST', rules: [{ rule: ruleId, mode: 'block' }] }
  const made = await gatehouse.call('POST', policies, { body })
  await gatehouse.call('PATCH', `${policies}/${made.body.policy.id}`, { body: { isDefault: true } })
}

for (const version of versions) {
  test(`semgrep ${version}, unmodified, from a login to a pull request that is blocked`, { skip }, async (t) => {
    await openFor(t)
    const client = await open(t, version)
    if (!client) return
    const { repository, semgrep, git, commit, ci, pullRequest, states, folder } = client
    const eval_ = `acme.v${version.replaceAll('.', '-')}.eval`
    const succeed = (ran: Ran): string => {
      assert.equal(ran.code, 0, ran.output)
      return ran.output
    }

    await t.test('it logs in by a token, and publishes a rule', async () => {
      commit({ 'app.py': 'print(1)\n' })
      assert.match(succeed(await semgrep(['login'])), /Saved login token/)
      writeFileSync(join(folder, 'eval.yaml'), rule(eval_))
      assert.match(succeed(await semgrep(['publish', join(folder, 'eval.yaml')])), new RegExp(`/r/${eval_}`))
    })

    await t.test('its rules come back by p/NAME', async () => {
      commit({ 'scanned.py': 'eval(a)\n' })
      const output = succeed(await semgrep(['scan', '--config', 'p/acme', '--oss-only', 'scanned.py']))
      assert.match(output, /Do not use eval\./)
    })

    await t.test('a push: findings and packages', async () => {
      commit({
        'scanned.py': 'print(2)\n',
        'app.py': 'eval(a)\n\n\neval(b)  # nosemgrep\n',
        'gone.py': 'eval(c)\n',
        'requirements.txt': lock,
      })
      const output = succeed(await ci())
      assert.match(output, /CI scan completed successfully/)
      assert.deepEqual(await states(code), [
        `app.py ${eval_} OPEN`,
        `app.py ${eval_} PROVISIONALLY_IGNORED`,
        `gone.py ${eval_} OPEN`,
      ])
      const packages = (await inventoryOf(gatehouse, repository)).map(({ name, version }) => `${name}@${version}`)
      assert.deepEqual(packages, ['jinja2@3.1.2'])
      assert.deepEqual(await states('osv'), ['@semgrep/requirements.txt CVE-2024-22195 OPEN'])
    })

    await t.test('fixed after an edit, however the lines moved; our advisories are shown in the terminal', async () => {
      commit({ 'app.py': '\n\nprint(1)\neval(b)  # nosemgrep\n', 'gone.py': '# moved\n\neval(c)\n' })
      const output = succeed(await ci())
      assert.match(output.replace(/\s+/g, ' '), /CVE-2024-22195.*Upgrade to 3\.1\.3/)
      assert.deepEqual(await states(code), [
        `app.py ${eval_} FIXED`,
        `app.py ${eval_} PROVISIONALLY_IGNORED`,
        `gone.py ${eval_} OPEN`,
      ])
    })

    await t.test('a file that is deleted takes its findings along until it is back', async () => {
      git('rm', '-q', 'gone.py')
      commit({})
      succeed(await ci())
      const others = [`app.py ${eval_} FIXED`, `app.py ${eval_} PROVISIONALLY_IGNORED`]
      assert.deepEqual(await states(code), [...others, `gone.py ${eval_} ENDED`])
      commit({ 'gone.py': 'eval(c)\n' })
      succeed(await ci())
      assert.deepEqual(await states(code), [...others, `gone.py ${eval_} REOPENED`])
    })

    await t.test('a pull request: what it brings, then blocked by a policy with our sentence', async () => {
      const base = git('rev-parse', 'HEAD')
      git('checkout', '-q', '-b', 'change')
      commit({ 'new.py': 'def f(x):\n    return eval(x)\n' })
      succeed(await pullRequest(base))
      assert.deepEqual(await states(code, 5), [`new.py ${eval_} OPEN`])
      await block(eval_)
      const blocked = await pullRequest(base)
      assert.equal(blocked.code, 1, blocked.output)
      assert.match(blocked.output, new RegExp(`Gatehouse blocks this, because of the policy for the rule '${eval_}'`))
      assert.match(blocked.output, /new\.py:2 /)
    })

    await t.test('ignored here, it no longer blocks and is no longer shown', async () => {
      await ignore(repository, { pullRequest: 5 })
      const output = succeed(await pullRequest(git('rev-parse', 'main')))
      assert.match(output, /No blocking findings so exiting with code 0/)
      assert.doesNotMatch(output, /return eval/)
      assert.deepEqual(await states(code, 5), [`new.py ${eval_} IGNORED`])
    })

    await t.test('a wrong token is refused, and what fails here is said there', async () => {
      const refused = await ci({ SEMGREP_APP_TOKEN: 'gth_wrong' })
      assert.equal(refused.code, 13, refused.output)
      git('checkout', '-q', '--detach')
      const detached = await ci()
      assert.notEqual(detached.code, 0)
      assert.match(detached.output.replace(/\s+/g, ' '), /Set SEMGREP_BRANCH to its name/)
    })
  })
}
