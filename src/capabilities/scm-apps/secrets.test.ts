import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { clientId, openDevopsGatehouse } from '../../../test/outside/devops-outside.ts'

const lines: string[] = []
const gatehouse = await openDevopsGatehouse({ log: (line) => lines.push(line) })
after(() => gatehouse.close())
const { provider, devops, apps, create, complete } = gatehouse

/** Everything that was ever proof of who we are: assertions, tokens, the secret of the webhooks. */
function secretsSoFar(): string[] {
  const assertions = provider.seen.map(({ body }) => new URLSearchParams(body).get('client_assertion') ?? '')
  const tokens = devops.seen.map(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? '')
  const hooks = devops.subscriptionsOf('contoso').map((each) => each.consumerInputs.basicAuthPassword ?? '')
  return [...new Set([...assertions, ...tokens, ...hooks])].filter((secret) => secret.length > 20)
}

async function storedText(): Promise<string> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    const tables = ['scm_app', 'scm_app_certificate', 'audit_event', 'idempotency_key']
    const one = (table: string) => `select coalesce(string_agg(t::text, ' '), '') as text from ${table} t`
    const { rows } = await client.query(tables.map(one).join(' union all '))
    return rows.map(({ text }) => text).join('\n')
  } finally {
    await client.end()
  }
}

test('no key, assertion, token or webhook secret is in an answer, a log line, an audit event or the database', async () => {
  const answers: unknown[] = []
  const note = async (answer: Promise<{ body: unknown }>) => answers.push((await answer).body)
  const made = await create()
  answers.push(made)
  await note(complete(made.scmAppId, { headers: { 'idempotency-key': 'secrets' } }))
  provider.uploadCertificate(clientId, made.publicCertificatePem)
  devops.control.trouble = ({ method }) => (method === 'POST' ? { status: 500 } : undefined)
  await note(complete(made.scmAppId))
  devops.control.trouble = undefined
  await note(complete(made.scmAppId, { headers: { 'idempotency-key': 'secrets' } }))
  await devops.fire('contoso', 'git.push', {})
  await note(gatehouse.call('POST', `${apps}/${made.scmAppId}/certificate`))
  await note(gatehouse.call('GET', apps))
  await note(gatehouse.call('GET', `${apps}/${made.scmAppId}`))
  const secrets = secretsSoFar()
  assert.ok(secrets.length >= 6, `${secrets.length} secrets to look for`)
  await note(gatehouse.call('DELETE', `${apps}/${made.scmAppId}`))
  await note(gatehouse.call('GET', `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events`))
  await note(gatehouse.call('GET', '/metrics'))

  const places = { answers: JSON.stringify(answers), log: lines.join('\n'), database: await storedText() }
  for (const [place, text] of Object.entries(places)) {
    assert.ok(text.length > 500, place)
    for (const secret of secrets) assert.ok(!text.includes(secret), `a secret in the ${place}`)
    assert.ok(!text.includes('PRIVATE KEY'), place)
  }
})

test('what happened is in the audit log, with the step that failed', async () => {
  const { body } = await gatehouse.call('GET', `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events`)
  const events = (body.events as { action: string; detail: Record<string, unknown> }[]).filter(({ action }) =>
    action.startsWith('scm-app.'),
  )
  assert.deepEqual(events.map(({ action, detail }) => [action, detail.step ?? '']).sort(), [
    ['scm-app.complete', ''],
    ['scm-app.complete-failed', 'token'],
    ['scm-app.complete-failed', 'webhooks'],
    ['scm-app.create', ''],
    ['scm-app.delete', ''],
    ['scm-app.rotate-certificate', ''],
  ])
})
