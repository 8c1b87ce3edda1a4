import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataFolder, gone, poll, type RealProcess, startProcess } from './servers/real-process.ts'

// Leads a process group, as the foreground job of a terminal does.
const npmStart = (folder: string) =>
  startProcess({ GATEHOUSE_DATA: folder }, ['npm', 'start', '--silent'], { detached: true })

async function addressOf(server: RealProcess): Promise<string> {
  await poll('it has printed its address', () => /Gatehouse is at \S+\n?/.test(server.output()))
  return /Gatehouse is at (\S+)/.exec(server.output())![1]!
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/api/readiness-check`).then(
    ({ status }) => status === 200,
    () => false,
  )
}

/** Nothing is left of it: neither server nor database. */
async function isGone(folder: string, url: string): Promise<void> {
  await poll('the server has gone', async () => !(await answers(url)))
  await gone(folder)
}

const endings: Record<string, (npm: RealProcess) => void> = {
  'npm is killed': (npm) => void npm.child.kill('SIGKILL'),
  'npm is told to stop': (npm) => void npm.child.kill('SIGTERM'),
  'Ctrl-C is pressed': (npm) => void process.kill(-npm.pid, 'SIGINT'),
}

test('however npm start ends, server and database end by themselves, and the next start works', async (t) => {
  const folder = dataFolder(t)
  for (const [how, end] of Object.entries(endings)) {
    const npm = npmStart(folder)
    const url = await addressOf(npm)
    await poll('it is ready', () => answers(url))
    end(npm)
    await isGone(folder, url).catch((error) => assert.fail(`${how}: ${error.message}`))
    await npm.ended
  }
})

test('a second start on the same data folder says so and ends; the first does not notice', async (t) => {
  const folder = dataFolder(t)
  const first = npmStart(folder)
  const url = await addressOf(first)
  const second = npmStart(folder)
  assert.notEqual(await second.ended, 0)
  assert.match(
    second.log(),
    /^gatehouse: Another Gatehouse \(process \d+\) already uses the data folder '.*'\. Stop it first/m,
  )
  assert.doesNotMatch(second.log(), /\n\s+at /)
  assert.equal(await answers(url), true)
  first.child.kill('SIGTERM')
  await isGone(folder, url)
  await first.ended
})
