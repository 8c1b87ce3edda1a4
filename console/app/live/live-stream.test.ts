import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openLive } from './live-stream.ts'

/** What of a browser it needs, with what it has opened. */
function standIn(t: TestContext) {
  const sources: FakeSource[] = []
  class FakeSource extends EventTarget {
    static readonly CLOSED = 2
    readonly readyState = 1
    readonly url: string
    constructor(url: string) {
      super()
      this.url = url
      sources.push(this)
    }
    close() {}
  }
  const page = new EventTarget()
  const browser: Record<string, unknown> = {
    EventSource: FakeSource,
    document: Object.assign(new EventTarget(), { hidden: false }),
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  }
  const before = Object.keys(browser).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const [name, value] of Object.entries(browser))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  t.after(() => {
    for (const [name, own] of before)
      if (own) Object.defineProperty(globalThis, name, own)
      else Reflect.deleteProperty(globalThis, name)
  })
  return {
    sources,
    press: () => page.dispatchEvent(new Event('keydown')),
    tell: (lastEventId: string, changed: string) =>
      sources
        .at(-1)!
        .dispatchEvent(new MessageEvent('changed', { lastEventId, data: JSON.stringify({ changed: [changed] }) })),
  }
}

test('what changes while nobody is there is told when somebody is', (t) => {
  const { sources, press, tell } = standIn(t)
  let now = 0
  t.mock.method(Date, 'now', () => now)
  const heard: string[] = []
  const close = openLive(
    1,
    (names) => heard.push(...names),
    () => undefined,
  )
  const idle = () => (now += 31 * 60_000)
  const asked = () => new URL(sources.at(-1)!.url, 'http://gatehouse').searchParams.get('lastEventId')

  // Nothing was heard before: everything may have changed.
  idle()
  tell('1-1', 'findings')
  press()
  assert.deepEqual([sources.length, asked(), heard], [2, '0-0', []])

  tell('2-2', 'scans')
  idle()
  tell('3-3', 'findings')
  press()
  assert.deepEqual([sources.length, asked(), heard], [3, '2-2', ['scans']])
  close()
})

test('it is told when the server answers, and when it does so again', (t) => {
  const { sources } = standIn(t)
  let answers = 0
  const close = openLive(
    1,
    () => undefined,
    () => answers++,
  )
  for (const expected of [1, 2]) {
    sources.at(-1)!.dispatchEvent(new Event('open'))
    assert.equal(answers, expected)
  }
  close()
})
