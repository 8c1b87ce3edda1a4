import type { Command } from 'commander'
import { type Running, serve } from '../serve.ts'
import { readSettings } from '../settings/settings.ts'
import { unknownSettings } from '../settings/unknown-settings.ts'
import type { Welcome } from '../start/first-start.ts'
import { createLog } from './log.ts'
import { wantsJson } from './output.ts'
import { whenAskedToStop } from './stopping.ts'

export function serveCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('serve')
    .description('start Gatehouse; settings come from the environment')
    .option('--json', 'print JSON, for programs')
    .action(async (_, command: Command) => {
      const settings = readSettings(process.env)
      const log = createLog(settings.logLevel)
      for (const sentence of unknownSettings(process.env)) log.warn(sentence)
      const stopping = whenAskedToStop()
      const running = await startUnless(stopping, (signal) => serve(settings, log, undefined, signal))
      if (!running) return log.info('stopped before it had started')
      const { url, firstSignInFile } = running
      if (wantsJson(command)) console.log(JSON.stringify({ url, firstSignInFile }))
      else console.log(told(running, process.stdout.isTTY))
      await Promise.race([stopping, running.outdated.then(() => finish(1))])
      await running.stop()
    })
}

/** Undefined where it was asked to stop before it had started. */
async function startUnless(
  stopping: Promise<void>,
  start: (signal: AbortSignal) => Promise<Running>,
): Promise<Running | undefined> {
  const control = new AbortController()
  const { signal } = control
  void stopping.then(() => control.abort())
  try {
    return await start(signal)
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined
    throw error
  }
}

/** What is not a terminal is a log, where a password would stay. */
function told({ url, welcome, firstSignInFile }: Running, isTerminal: boolean): string {
  const file = firstSignInFile ? `\nHow to sign in: ${firstSignInFile} (delete it when you have it)` : ''
  return welcome && isTerminal ? `${greeting(url, welcome)}${file}\n` : `Gatehouse is at ${url}${file}`
}

export function greeting(url: string, welcome: Welcome): string {
  const example = `curl -s -H 'Authorization: Bearer ${welcome.token}' ${url}/api/agent/deployments/${welcome.deploymentId}/ruleboards`
  return `
Gatehouse is at ${url}   (API reference: ${url}/docs)

This is shown once.

  Sign-in    ${welcome.email}
  Password   ${welcome.password}
  API token  ${welcome.token}

Try it:

  ${example}
`
}
