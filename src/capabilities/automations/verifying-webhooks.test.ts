import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { signedHeaders, signingKeyProblem } from './actions/signature.ts'

const document = readFileSync(new URL('../../../docs/automations.md', import.meta.url), 'utf8')
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const body = '{"grün":"🔑"}'

const programs = [
  { heading: 'Node', command: process.execPath, args: ['--input-type=module', '-e'] },
  { heading: 'Python', command: 'python3', args: ['-c'] },
]
for (const { heading, command, args } of programs) {
  const absent = spawnSync(command, [...args, '']).status !== 0
  test(`the documented program in ${heading} believes what we signed, and nothing else`, {
    skip: absent && `${command} is not installed`,
  }, () => {
    const program = new RegExp(`### ${heading}\\n\\n\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(document)![1]!
    const now = Math.floor(Date.now() / 1_000)
    const genuine = { secret, body, headers: signedHeaders(secret, { id: 'msg', timestamp: now, body }) }
    const old = signedHeaders(secret, { id: 'msg', timestamp: now - 3_600, body })
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    const run = (input: object) => spawnSync(command, [...args, program], { input: JSON.stringify(input) }).status
    const two = `v1,AAAA ${genuine.headers['webhook-signature']}`
    assert.equal(run(genuine), 0)
    assert.equal(run({ ...genuine, headers: { ...genuine.headers, 'webhook-signature': two } }), 0)
    assert.equal(run({ ...genuine, body: `${body} ` }), 1)
    assert.equal(run({ ...genuine, secret: other }), 1)
    assert.equal(run({ ...genuine, headers: old }), 1)
    assert.equal(run({ ...genuine, headers: { ...genuine.headers, 'webhook-id': 'another' } }), 1)
    assert.equal(run({ ...genuine, headers: { ...genuine.headers, 'webhook-signature': 'v1,' } }), 1)
  })
}

const keys: [string, boolean][] = [
  [secret, true],
  [`whsec_${Buffer.alloc(24).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
  [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
  [secret.slice(6), false],
  [`${secret} `, false],
  ['whsec_', false],
]
for (const [key, isGood] of keys) {
  test(`a signing key of ${key.length} characters is ${isGood ? '' : 'not '}taken`, () => {
    assert.equal(signingKeyProblem(key) === undefined, isGood)
  })
}
