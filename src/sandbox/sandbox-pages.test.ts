import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChatService } from './chat-service.ts'
import { startCloudsecService } from './cloudsec-service.ts'
import { startDevopsService } from './code-hosts/devops-service.ts'
import { startIdentityProvider } from './identity-provider.ts'
import { startTrackerService } from './tracker/tracker-service.ts'

const send = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })

async function read(address: string, request?: RequestInit): Promise<string> {
  const response = await fetch(address, request)
  assert.match(response.headers.get('content-type')!, /^text\/html/)
  return response.text()
}

const secretIn = (page: string) => /role="status">[^<]*<code>([^<]+)</.exec(page)![1]!

test('at the tracker a person makes a token that works, reads tickets and moves one', async (t) => {
  const tracker = await startTrackerService()
  t.after(tracker.close)
  const token = secretIn(await read(`${tracker.url}/tokens`, send({ email: 'me@example.com' })))
  const authorization = `Basic ${Buffer.from(`me@example.com:${token}`).toString('base64')}`
  assert.equal((await fetch(`${tracker.url}/rest/api/3/myself`, { headers: { authorization } })).status, 200)
  const key = tracker.write('<script>alert(1)</script>')
  const board = await read(tracker.url)
  assert.ok(board.includes('&lt;script&gt;') && !board.includes('<script>'))
  assert.match(await read(`${tracker.url}/browse/${key}`), /To Do/)
  assert.match(await read(`${tracker.url}/browse/${key}`, send({ transition: '31' })), /<strong role="status">Done</)
  assert.equal((await fetch(`${tracker.url}/browse/NONE-1`)).status, 404)
})

test('at cloud security a person makes a service account that gets tokens', async (t) => {
  const cloudsec = await startCloudsecService()
  t.after(cloudsec.close)
  const page = await read(`${cloudsec.url}/service-accounts`, send({ client_id: 'mine' }))
  const asked = {
    grant_type: 'client_credentials',
    audience: 'wiz-api',
    client_id: 'mine',
    client_secret: secretIn(page),
  }
  assert.equal((await fetch(cloudsec.tokenUrl, send(asked))).status, 200)
  assert.ok(page.includes(cloudsec.apiUrl) && page.includes(cloudsec.tokenUrl))
})

test('the other services show what a person has to know to connect them', async (t) => {
  const identity = await startIdentityProvider()
  const devops = await startDevopsService({ whose: identity.whose })
  const chat = await startChatService()
  t.after(() => Promise.all([identity, devops, chat].map((each) => each.close())))
  identity.register('tenant-1', 'client-1')
  devops.addProject('meadow', 'Shop', ['client-1'])
  assert.match(await read(identity.url), /client-1 of the tenant tenant-1/)
  assert.match(await read(devops.url), /Organization meadow, projects: Shop/)
  assert.match(await read(chat.url), /No channel was told anything/)
})
