import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { openGatehouse, type TestGatehouse, tokenOf } from '../../../test/gatehouse.ts'

const script = readFileSync(join(import.meta.dirname, 'one-time-link.js'), 'utf8')
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

test('the pages load nothing from elsewhere, run no script of their own text, and are framed by nobody', async () => {
  for (const path of ['/invitations', '/reset-password']) {
    const { status, headers, body } = await gatehouse.call('GET', path, { as: '' })
    assert.equal(status, 200)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; .*connect-src 'self'; .*frame-ancestors 'none'$/)
    assert.deepEqual([headers.get('referrer-policy'), headers.get('cache-control')], ['no-referrer', 'no-store'])
    assert.ok(!/<script(?![^>]*src="\/one-time-link\.js")|https?:\/\/|\son\w+=/i.test(body))
  }
  const served = await gatehouse.call('GET', '/one-time-link.js', { as: '' })
  assert.equal(served.body, script)
  const { status, headers } = await gatehouse.call('GET', '/one-time-link.css', { as: '' })
  assert.deepEqual([status, headers.get('content-type')?.split(';')[0]], [200, 'text/css'])
  assert.ok(!/innerHTML|insertAdjacent|document\.write|eval\(/.test(script))
})

type Submit = (event: { preventDefault(): void }) => Promise<void>
type Form = { hidden: boolean; fields: Record<string, string>; submit?: Submit }

/** Runs the script as a browser would, on as much of a page as it looks at. */
function open(link: string, formNames: string[]) {
  const said = { textContent: '' }
  const wrong = { textContent: '' }
  const next = { hidden: true }
  const location = { hash: `#${tokenOf(link)}`, pathname: '/page' }
  const history: string[] = []
  const forms = new Map<string, Form>(formNames.map((name) => [name, { hidden: true, fields: {} }]))
  for (const form of forms.values()) {
    Object.assign(form, {
      elements: { name: { value: '' } },
      querySelector: () => ({ disabled: false }),
      addEventListener: (_: string, submit: Submit) => {
        form.submit = submit
      },
    })
  }
  runInNewContext(script, {
    location,
    history: { replaceState: (_: unknown, __: string, path: string) => history.push(path) },
    document: {
      getElementById: (id: string) => ({ said, wrong, next })[id] ?? forms.get(id) ?? null,
      querySelectorAll: () => forms.values(),
    },
    FormData: class {
      readonly form: Form
      constructor(form: Form) {
        this.form = form
      }
      [Symbol.iterator]() {
        return Object.entries(this.form.fields)[Symbol.iterator]()
      }
    },
    fetch: (path: string, request: RequestInit) => fetch(gatehouse.url + path, request),
  })
  const shown = async () => {
    while (said.textContent + wrong.textContent === '') await delay(5)
    return said.textContent + wrong.textContent
  }
  const fill = async (name: string, fields: Record<string, string>) => {
    const form = forms.get(name)!
    form.fields = fields
    await form.submit!({ preventDefault() {} })
    return wrong.textContent || said.textContent
  }
  return { said, shown, fill, forms, history, next }
}

const invite = async (to: { id: number; as: string }, email: string): Promise<string> =>
  (await gatehouse.call('POST', `/api/people/v1/deployments/${to.id}/people`, { as: to.as, body: { email } })).body.link

test('the page of an invitation makes an account, or signs in to the one there is and joins with it', async () => {
  const own = { id: gatehouse.owner.deploymentId, as: gatehouse.owner.token }
  const first = open(await invite(own, 'ada@example.com'), ['new', 'known'])
  assert.equal(await first.shown(), 'owner invites ada@example.com to join "Gatehouse" as member.')
  assert.deepEqual(first.history, ['/page'], 'the token is out of the address bar')
  assert.match(await first.fill('new', { name: '', password: 'short' }), /^Password must .*\.$/)
  assert.match(first.said.textContent, /^owner invites ada@example\.com/, 'who invites is still said')
  assert.equal(first.next.hidden, true)
  assert.match(await first.fill('new', { name: 'Ada', password: 'correct horse battery' }), /^You have joined/)
  assert.equal(first.next.hidden, false, 'the way to sign in')

  const other = await gatehouse.addDeployment()
  const second = open(await invite(other, 'ada@example.com'), ['new', 'known'])
  await second.shown()
  assert.match(await second.fill('new', { name: '', password: 'correct horse battery' }), /has an account: sign in/)
  assert.match(await second.fill('known', { password: 'wrong horse battery' }), /not right/)
  assert.match(await second.fill('known', { password: 'correct horse battery' }), /^You have joined/)
  const jwt = await gatehouse.signIn('ada@example.com', 'correct horse battery')
  const { deployments } = (await gatehouse.call('GET', '/api/deployments/v1/deployments', { as: jwt })).body
  assert.equal(deployments.length, 2)
})

test('a link that was used leads to where one signs in', async () => {
  const used = open('#used', ['new', 'known'])
  assert.match(await used.shown(), /does not work/)
  assert.equal(used.next.hidden, false)
  assert.equal(used.forms.get('new')!.hidden, true)
})

test('the page of a reset sets the password', async () => {
  const member = await gatehouse.addPerson('member')
  const path = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people/${member.id}/reset-link`
  const page = open((await gatehouse.call('POST', path, { as: gatehouse.owner.jwt })).body.link, ['reset'])
  assert.equal(page.forms.get('reset')!.hidden, false)
  assert.match(await page.fill('reset', { password: 'a password made new' }), /^Your password is set/)
  await gatehouse.signIn(member.email, 'a password made new')
})
