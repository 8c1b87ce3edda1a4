import { type Command, Option } from 'commander'
import type { Demo } from '../demo/open-demo.ts'
import type { DemoSizeName } from '../demo/size.ts'
import { createLog } from './log.ts'
import { wantsJson } from './output.ts'
import { greeting } from './serve.ts'
import { whenAskedToStop } from './stopping.ts'
import { wholeNumber } from './whole-number.ts'

const sizes: readonly DemoSizeName[] = ['small', 'medium', 'large']

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('start Gatehouse with sample data and a sandbox of the outside world; nothing of it is kept')
    .addOption(
      new Option('--size <size>', 'small is there in seconds, large has 50,000 findings')
        .choices(sizes)
        .default('medium'),
    )
    .option('--port <port>', 'where it listens; PORT, or 8080, unless given', wholeNumber)
    .option('--json', 'print JSON, for programs')
    .action(async ({ size, port }: { size: DemoSizeName; port?: number }, command: Command) => {
      // Here and not above: the sandbox is not part of what `serve` loads.
      const { openDemo } = await import('../demo/open-demo.ts')
      const stopping = whenAskedToStop()
      const env = port === undefined ? process.env : { ...process.env, PORT: String(port) }
      const demo = await openDemo(env, createLog('error'), { size, say, onProgress: createProgress() })
      const { url, welcome, scans, outside } = demo
      if (wantsJson(command)) console.log(JSON.stringify({ url, ...welcome, size, scans, outside }))
      else console.log(greeting(url, welcome) + tour(demo))
      await stopping
      await demo.stop()
    })
}

/** On standard error: what programs read stays as it is. */
function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** One line that changes on a terminal, a line for each tenth elsewhere. */
function createProgress() {
  let said = 0
  return (done: number, total: number): void => {
    if (process.stderr.isTTY) {
      process.stderr.write(done < total ? `\r\x1b[K  ${done} of ${total} scans` : '\r\x1b[K')
      return
    }
    const tenths = Math.floor((done * 10) / total)
    if (tenths > said) say(`  ${done} of ${total} scans`)
    said = tenths
  }
}

function tour({ url, welcome, scans, repositories, outside }: Demo): string {
  const ask = (path: string, body: object) =>
    `curl -s ${url}${path} -H 'Authorization: Bearer ${welcome.token}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  const { deploymentId } = welcome
  const lodash = { name: 'lodash', exactNameMatch: true, versionUpperBound: '<4.17.21' }
  const places = Object.entries(outside).map(([name, place]) => `  ${name.padEnd(18)} ${place}\n`)
  return `
Open ${url}/ in a browser and sign in with that.

${scans} scans of ${repositories} repositories came in through the API, a year of them. Which use lodash below 4.17.21?

  ${ask(`/api/sca/deployments/${deploymentId}/repositories`, { dependencyFilter: { packageFilters: [lodash] } })}

How many findings reach the ones that matter?

  ${ask(`/api/reporting/${deploymentId}/reports/funnel`, { filters: { timePeriod: { since: '2020-01-01T00:00:00Z' } } })}

Around it, on this machine, with nothing real behind them. Open the first five in a browser for what you would do and see there:

${places.join('')}
Everything goes when you stop it.
`
}
