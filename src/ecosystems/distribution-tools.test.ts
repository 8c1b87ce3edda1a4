import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import type { EcosystemId } from './ecosystem.ts'
import { ecosystems } from './registry.ts'

/** Every version against every other, as far as the tool that decides is on this machine. */
const versions: Partial<Record<EcosystemId, string[]>> = {
  deb: [
    '0',
    '1',
    '1.0',
    '1.0~rc1',
    '1.0~~',
    '1.0+b1',
    '1.0-1',
    '1.0-1~bpo',
    '1:0.9',
    '1.0a',
    '1.0.a',
    '01.00',
    '1.10-0',
  ],
  rpm: [
    '0',
    '1',
    '1.0',
    '1.0~rc1',
    '1.0~~',
    '1.0^git1',
    '1.0-1',
    '1.0-1.el9',
    '1:0.9',
    '1.0a',
    '1.0.a',
    '01.00',
    '1.10-0',
  ],
}

const tools: [EcosystemId, answers: (pairs: [string, string][]) => number[] | undefined][] = [
  [
    'deb',
    (pairs) => {
      const lines = pairs.map(([a, b]) => {
        const holds = (relation: string) => `dpkg --compare-versions '${a}' ${relation} '${b}'`
        return `${holds('lt')} && echo -1 || { ${holds('eq')} && echo 0 || echo 1; }`
      })
      return numbers('sh', ['-c', `command -v dpkg > /dev/null || exit 1\n${lines.join('\n')}`])
    },
  ],
  [
    'rpm',
    (pairs) => {
      const lines = pairs.map(([a, b]) => `t("${a}", "${b}")`)
      const compare =
        'function t(x, y) local a, b = rpm.ver(x), rpm.ver(y) io.write(a < b and -1 or (a == b and 0 or 1), string.char(10)) end'
      return numbers('rpm', ['--eval', `%{lua: ${compare} ${lines.join(' ')}}`])
    },
  ],
]

for (const [id, answers] of tools) {
  test(`${id} orders as its own tool does`, (t) => {
    const all = versions[id]!
    const pairs = all.flatMap((a) => all.map((b): [string, string] => [a, b]))
    const expected = answers(pairs)
    if (!expected) return t.skip(`the tool of ${id} is not on this machine`)
    assert.equal(expected.length, pairs.length)
    for (const [i, [a, b]] of pairs.entries()) assert.equal(ecosystems[id].compare(a, b), expected[i], `${a} and ${b}`)
  })
}

function numbers(command: string, args: string[]): number[] | undefined {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim().split('\n').map(Number) : undefined
}
