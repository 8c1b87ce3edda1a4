import type { Browser, CDPSession, Page } from 'playwright-core'
import { buildConsole } from '../console/build.ts'
import { openBrowser, settled, signIn, visit } from '../console/test/browser.ts'
import { readBundle } from '../console/test/bundle.ts'
import { runningConnection } from '../src/postgres/process/running.ts'
import { fillFindings } from './data/finding-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { removeFolder, startServer } from './server.ts'

const findings = process.env.GATEHOUSE_BENCH_LARGE ? 1_000_000 : 100_000
const frames = 120
const rounds = 9

/** The console in a real browser, with a list of very many findings behind it. */
export const benchmark: Benchmark = {
  name: 'console',
  async run() {
    const { firstKB } = readBundle((await buildConsole()).folder)
    const first: Figure = {
      name: 'JavaScript of a first visit, gzipped',
      value: firstKB,
      unit: 'kB',
      limit: { atMost: 150 },
    }
    const server = await startServer()
    let browser: Browser | undefined
    try {
      await fillFindings(runningConnection(server.folder)!, server.deploymentId, findings)
      browser = await openBrowser()
      const one = await visit(browser, { width: 1_440 })
      await signIn(one, server.url, server.owner.email, server.owner.password)
      const base = /^.*\/d\/[^/]+/.exec(one.page.url())![0]
      return [
        first,
        await calls(one.page, 'the overview', base, 14),
        await calls(one.page, 'findings', `${base}/findings`, 8),
        ...(await scrolling(one.page)),
        await filtering(one.page),
      ]
    } finally {
      await browser?.close()
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

/** From an empty page until nothing is loading. */
async function calls(page: Page, what: string, address: string, atMost: number): Promise<Figure> {
  // What an earlier page still asks for is not counted.
  await page.goto('about:blank')
  let count = 0
  const heard = (request: { url(): string }) => {
    if (request.url().includes('/api/')) count++
  }
  page.on('request', heard)
  await page.goto(address)
  await settled(page)
  page.off('request', heard)
  return { name: `calls of the API until ${what} is whole`, value: count, unit: 'calls', limit: { atMost } }
}

/** On the findings page: 60 px a frame, through rows that are there and rows that come in. */
async function scrolling(page: Page): Promise<Figure[]> {
  await page.getByRole('grid').waitFor()
  const session = await openSession(page)
  const before = await secondsOf(session, 'ScriptDuration')
  const most = await page.evaluate<number>(`new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]')
    let most = 0
    let frame = 0
    const step = () => {
      grid.scrollTop += 60
      most = Math.max(most, grid.querySelectorAll('[role=row]').length)
      if (++frame < ${frames}) requestAnimationFrame(step)
      else resolve(most)
    }
    requestAnimationFrame(step)
  })`)
  const script = ((await secondsOf(session, 'ScriptDuration')) - before) * 1_000
  const rows = Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1
  return [
    { name: 'rows of the list', value: rows, unit: 'rows' },
    { name: 'rows in the page while it is scrolled', value: most, unit: 'rows', limit: { atMost: 60 } },
    { name: 'scripting of a frame that scrolls 60 px', value: script / frames, unit: 'ms', limit: { atMost: 4 } },
  ]
}

/** Counts the time that the page's own thread has worked: the machine may be busy with other things. */
async function openSession(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return session
}

async function secondsOf(session: CDPSession, what: 'ScriptDuration' | 'TaskDuration'): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === what)!.value
}

// Until the rows of the other filter are drawn, less the time from the first call to the end of the last.
const change = (address: string) => `new Promise((resolve) => {
  performance.clearResourceTimings()
  const begun = performance.now()
  const answered = (calls, what) => calls.some(({ name, responseEnd }) => name.includes(what) && responseEnd > 0)
  const look = () => {
    const calls = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/findings/'))
    const isThere = answered(calls, '/search') && answered(calls, '/counts') && !document.querySelector('.busy-line')
    if (!isThere) return requestAnimationFrame(look)
    const api = Math.max(...calls.map((call) => call.responseEnd)) - Math.min(...calls.map((call) => call.startTime))
    resolve(performance.now() - begun - api)
  }
  history.pushState({ key: String(begun) }, '', ${JSON.stringify(address)})
  dispatchEvent(new PopStateEvent('popstate'))
  requestAnimationFrame(look)
})`

async function filtering(page: Page): Promise<Figure> {
  const session = await openSession(page)
  const worked: number[] = []
  const waited: number[] = []
  const path = new URL(page.url()).pathname
  const severities = ['critical', 'high', 'medium', 'low', 'info']
  for (let round = 0; round < rounds; round++) {
    const severity = severities[round % severities.length]!
    const before = await secondsOf(session, 'TaskDuration')
    // Another question each time: what was asked before is answered from memory.
    const address = `${path}?sev=${severity}&valid=${round < 5 ? 'unknown' : 'valid'}`
    waited.push(await page.evaluate<number>(change(address)))
    worked.push(((await secondsOf(session, 'TaskDuration')) - before) * 1_000)
    await settled(page)
  }
  return {
    name: 'a change of the filter, beyond the time of the API',
    value: median(waited),
    unit: 'ms',
    limit: { atMost: 100 },
    detail: `${median(worked).toFixed(0)} ms of work in the page, also while it waits`,
  }
}
