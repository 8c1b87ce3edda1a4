import type { Command } from 'commander'
import type { Welcome } from '../first-start.ts'
import { forgetWelcome, serve } from '../serve.ts'
import { readSettings } from '../settings.ts'
import { createLog, wantsJson } from './output.ts'
import { whenAskedToStop } from './stopping.ts'

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('start Gatehouse; settings come from the environment')
    .option('--json', 'print JSON, for programs')
    .action(async (_, command: Command) => {
      const settings = readSettings(process.env)
      const log = createLog(settings.logLevel)
      const stopping = whenAskedToStop()
      const running = await serve(settings, log)
      if (wantsJson(command)) console.log(JSON.stringify({ url: running.url, ...running.welcome }))
      else console.log(running.welcome ? greeting(running.url, running.welcome) : `Gatehouse is at ${running.url}`)
      if (running.welcome) forgetWelcome(settings)
      await stopping
      await running.stop()
    })
}

export function greeting(url: string, welcome: Welcome): string {
  const example = `curl -s -H 'Authorization: Bearer ${welcome.token}' ${url}/api/agent/deployments/${welcome.deploymentId}/ruleboards`
  return `
Gatehouse is at ${url}   (API reference: ${url}/docs)

This is shown once; keep it.

  Sign-in    ${welcome.email}
  Password   ${welcome.password}
  API token  ${welcome.token}

Try it:

  ${example}
`
}
