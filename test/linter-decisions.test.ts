import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { findingsPath, searchAll } from '../src/capabilities/findings/test-findings.ts'
import { runCommand } from './clients/command-line.ts'
import { isDeep } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

/**
 * Linters that send no code: what was decided about one line stays with it, whatever is written above it. `npm run test:deep` asks
 * the one that takes longer too.
 */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-linters-')))
let gatehouse: TestGatehouse
let installed = true

before(async () => {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const eslint = ['eslint@9.39.5', '@microsoft/eslint-formatter-sarif@3.1.0']
  const packages = ['oxlint@1.93.0', ...(isDeep ? eslint : [])]
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', ...packages]
  await promisify(execFile)('npm', install, { cwd: folder, timeout: 240_000 }).catch(() => {
    installed = false
  })
  writeFileSync(join(folder, 'eslint.config.mjs'), 'export default [{ rules: { "no-eval": "error" } }]')
  mkdirSync(join(folder, 'src'))
  gatehouse = await openGatehouse()
})
after(async () => {
  await gatehouse.close()
  rmSync(folder, { recursive: true, force: true })
})

const linters: Record<string, string[]> = {
  ...(isDeep && { eslint: ['eslint/bin/eslint.js', '-f', '@microsoft/eslint-formatter-sarif', 'src'] }),
  oxlint: ['oxlint/bin/oxlint', '-D', 'no-eval', '-f', 'sarif', 'src'],
}

/** Exits with 1 where it finds anything. */
function lint(name: string): string {
  const [program, ...args] = linters[name]!
  const command = [join(folder, 'node_modules', program!), ...args]
  try {
    return execFileSync(process.execPath, command, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

async function scan(name: string, lines: string[], change: string[] = ['--ref', 'main']): Promise<string> {
  writeFileSync(join(folder, 'src/a.js'), `${lines.join('\n')}\n`)
  writeFileSync(join(folder, `${name}.sarif`), lint(name))
  const subject = ['--repository', `linters/${name}`, ...change]
  const env = { GATEHOUSE_URL: gatehouse.url, GATEHOUSE_TOKEN: gatehouse.owner.token }
  const ran = await runCommand(['upload', ...subject, `${name}.sarif`], { cwd: folder, env })
  assert.equal(ran.code, 0, ran.stderr)
  return ran.stdout
}

/** The code of what is found, and where it stands. */
async function found(name: string) {
  const all = await searchAll(gatehouse, { filter: { repositories: [`linters/${name}`] } })
  const shown = all as unknown as { id: string; triageState: string; locations: { snippet: string }[] }[]
  return shown.map(({ id, triageState, locations }) => ({
    id,
    is: `${locations[0]!.snippet} ${triageState.slice(13)}`,
  }))
}

for (const name of Object.keys(linters)) {
  test(`${name}: a decision stays with its code`, async (t) => {
    if (!installed) return t.skip(`${name} cannot be installed: the npm registry is out of reach`)
    const [harmless, remote] = ["eval('1+1')", 'eval(req.body.code)']
    const receipt = await scan(name, ['start()', harmless, 'stop()'])
    assert.ok(!receipt.includes('sends no code'), receipt)
    assert.ok(!readFileSync(join(folder, `${name}.sarif`), 'utf8').includes('1+1'), 'it sends code by itself')
    const [first] = await found(name)
    assert.equal(first!.is, `${harmless} OPEN`)
    const body = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }
    assert.equal((await gatehouse.call('POST', `${findingsPath()}/${first!.id}`, { body })).status, 200)
    const is = async () => (await found(name)).map((one) => one.is).sort()

    await scan(name, ['start()', remote, 'middle()', harmless, 'stop()'])
    assert.deepEqual(await is(), [`${harmless} IGNORED`, `${remote} OPEN`])
    await scan(name, ['start()', remote, 'middle()', 'stop()'])
    assert.deepEqual(await is(), [`${harmless} IGNORED`, `${remote} OPEN`])
    await scan(name, ['start()', 'middle()', 'stop()', `  ${harmless}`])
    assert.deepEqual(await is(), [`  ${harmless} REOPENED`, `${remote} FIXED`], 'gone, and back at another place')
  })
}

for (const name of Object.keys(linters)) {
  test(`${name}: a pull request shows what it introduces, and ends`, async (t) => {
    if (!installed) return t.skip(`${name} cannot be installed: the npm registry is out of reach`)
    const old = ["eval('1+1')", 'start()', 'eval(name)', 'stop()']
    await scan(name, old)
    const remote = 'eval(req.body.code)'
    const changes: [lines: string[], numbers: number[]][] = [
      [old, [0, 2]],
      [
        ['first()', 'second()', ...old],
        [0, 2],
      ],
      [
        [remote, ...old],
        [1, 2],
      ],
      [
        [remote, 'middle()', old[0]!, 'more()', ...old],
        [2, 2],
      ],
    ]
    for (const [at, [lines, [raised, inherited]]] of changes.entries()) {
      const pullRequest = ['--ref', 'change', '--pull-request', String(at + 1), '--base-ref', 'main', '--json']
      const { files } = JSON.parse(await scan(name, lines, pullRequest))
      assert.deepEqual([files[0].findings.raised, files[0].findings.inherited], [raised, inherited], lines.join('; '))
    }
    const env = { GATEHOUSE_URL: gatehouse.url, GATEHOUSE_TOKEN: gatehouse.owner.token }
    const close = ['scan', '--closed', '--repository', `linters/${name}`, '--pull-request', '4']
    const closed = await runCommand(close, { cwd: folder, env })
    assert.equal(
      closed.stdout,
      `Pull request 4 of linters/${name} is closed: 2 findings that stood open in it are settled.\n`,
    )
    const open = { repositories: [`linters/${name}`], pullRequests: 'only', triageStates: ['TRIAGE_STATE_OPEN'] }
    assert.equal((await searchAll(gatehouse, { filter: open })).length, 1)
  })
}
