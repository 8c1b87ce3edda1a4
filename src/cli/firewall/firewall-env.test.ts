import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'

const cases: [client: string, lines: string[]][] = [
  ['npm', ['registry=https://g.example/firewall/7/npm/', '//g.example/firewall/7/npm/:_authToken=${GATEHOUSE_TOKEN}']],
  ['npm', ['omit-lockfile-registry-resolved=true']],
  ['yarn', ['npmAuthToken: "${GATEHOUSE_TOKEN-}"']],
  ['uv', ['UV_DEFAULT_INDEX="https://__token__:${GATEHOUSE_TOKEN}@g.example/firewall/7/pypi/simple/"']],
  ['poetry', ['poetry source add --priority=primary gatehouse https://g.example/firewall/7/pypi/simple/']],
  ['pdm', ['export PDM_PYPI_URL=https://g.example/firewall/7/pypi/simple/']],
  ['pipenv', ['url = "https://__token__:${GATEHOUSE_TOKEN}@g.example/firewall/7/pypi/simple/"', 'verify_ssl = true']],
  ['deno', ['//g.example/firewall/7/npm/:_authToken=${GATEHOUSE_TOKEN}']],
  ['cargo', ['index = "sparse+https://g.example/firewall/7/cargo/"', 'replace-with = "gatehouse"']],
  ['go', ['export GOPROXY="https://__token__:${GATEHOUSE_TOKEN}@g.example/firewall/7/go"', 'export GONOPROXY=none']],
  ['gradle', ['url = uri("https://g.example/firewall/7/maven/")']],
  [
    'gradle',
    ['// settings.gradle', 'pluginManagement {\n    repositories {\n        maven {\n            url = uri("https://g'],
  ],
  ['pip', ['PIP_INDEX_URL="https://__token__:${GATEHOUSE_TOKEN}@g.example/firewall/7/pypi/simple/"']],
  ['maven', ['<url>https://g.example/firewall/7/maven/</url>', '<password>${env.GATEHOUSE_TOKEN}</password>']],
]

for (const [client, lines] of cases) {
  test(`firewall env ${client} prints what points it here, and no token`, async () => {
    const env = { GATEHOUSE_URL: 'https://g.example/', GATEHOUSE_DEPLOYMENT: '7', GATEHOUSE_TOKEN: 'gth_secret' }
    const { code, stdout } = await runCommand(['firewall', 'env', client], { env })
    assert.equal(code, 0)
    for (const line of lines) assert.ok(stdout.includes(line), stdout)
    assert.ok(!stdout.includes('gth_secret'))
  })
}

test('where Gatehouse has no https address, the lines for Go say that Go will not sign in', async () => {
  const told = async (url: string) =>
    (await runCommand(['firewall', 'env', 'go'], { env: { GATEHOUSE_URL: url } })).stdout
  assert.match(await told('http://g.example'), /^# .*sends no login over http: give Gatehouse an https address first\n/)
  assert.match(await told('https://g.example'), /^# the environment of go\n/)
})

test('what is printed for Maven is XML from the first line on', async () => {
  const env = { GATEHOUSE_URL: 'https://g.example/', GATEHOUSE_TOKEN: 'gth_secret' }
  const { stdout } = await runCommand(['firewall', 'env', 'maven'], { env })
  assert.match(stdout, /^<!-- ~\/\.m2\/settings\.xml -->\n<settings>\n/)
})

test('an unknown client is wrong usage', async () => {
  assert.equal((await runCommand(['firewall', 'env', 'gem'])).code, 2)
})
