import { run } from './cli/run.ts'

process.exitCode = await run(process.argv.slice(2))
// The channel to the launcher would keep the process alive.
if (process.connected) process.disconnect()
