import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../test/clients/command-line.ts'
import { realData, withoutRealData } from '../../test/real-data.ts'

const cases: [args: string[], input: string, code: number, stdout: string, stderr: RegExp][] = [
  [['npm'], '1.0.0 < 1.0.1\n# a comment\n\n1.0.0 = 1.0.0+build\n2.0.0 > 2.0.0-rc.1\n', 0, '', /^$/],
  [['npm'], '', 0, '', /^$/],
  [['pypi'], '1.0 = 1\n1.0rc1 > 1.0\n', 1, 'line 2: 1.0rc1 > 1.0 (ours: 1.0rc1 < 1.0)\n', /^$/],
  [
    ['npm'],
    '1.0.0 > 2.0.0\r\n2 is newer\r\n',
    2,
    'line 1: 1.0.0 > 2.0.0 (ours: 1.0.0 < 2.0.0)\n',
    /line 2 is not a comparison/,
  ],
  [['npm'], '1.0.0 <= 2.0.0', 2, '', /line 1 is not a comparison: 1\.0\.0 <= 2\.0\.0/],
  [['nmp'], '1 < 2', 2, '', /no ecosystem 'nmp'; known: npm, pypi/],
  [[], '1 < 2', 2, '', /missing required argument/],
]

for (const [args, input, code, stdout, stderr] of cases) {
  test(`gatehouse versions ${args.join(' ')} on ${JSON.stringify(input)} exits ${code}`, async () => {
    const ran = await runCommand(['versions', ...args], { input })
    assert.match(ran.stderr, stderr)
    assert.deepEqual({ code: ran.code, stdout: ran.stdout }, { code, stdout })
  })
}

test('gatehouse versions --json tells the same to programs', async () => {
  const ran = await runCommand(['versions', 'maven', '--json'], { input: '1 < 2\n2 < 1\nx\n' })
  assert.equal(ran.code, 2)
  assert.deepEqual(JSON.parse(ran.stdout), {
    checked: 2,
    disagreements: [{ line: 2, text: '2 < 1', ours: '2 > 1' }],
    unreadable: [{ line: 3, text: 'x' }],
  })
})

const data = realData()
const lists: [ecosystem: string, file: string][] = [
  ['pypi', 'pypa-packaging/pep440-order.txt'],
  ['gomod', 'golang-mod/semver-order.txt'],
  ['nuget', 'osv-scalibr/nuget-versions.txt'],
]

for (const [ecosystem, file] of lists) {
  test(`gatehouse versions ${ecosystem} agrees with ${file}`, { skip: data ? false : withoutRealData }, async () => {
    const input = readFileSync(join(data!, 'version-order', file), 'utf8')
    assert.deepEqual(await runCommand(['versions', ecosystem], { input }), { code: 0, stdout: '', stderr: '' })
    const turned = input.replaceAll(' < ', ' > ')
    const disagreed = await runCommand(['versions', ecosystem], { input: turned })
    assert.equal(disagreed.code, 1)
    assert.equal(disagreed.stdout.split('\n').length - 1, input.split(' < ').length - 1)
  })
}
