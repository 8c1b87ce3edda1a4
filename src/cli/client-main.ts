import { runClient } from './client.ts'

runClient(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
