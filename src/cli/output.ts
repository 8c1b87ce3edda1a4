import type { Command } from 'commander'
import pino, { type Logger } from 'pino'

/** `--json` works on every command, wherever it stands on the line. */
export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals().json === true
}

export function print(command: Command, value: object, text: string): void {
  console.log(wantsJson(command) ? JSON.stringify(value) : text)
}

/** One JSON line per event on standard error, written in batches so that logging does not slow requests down. */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 200 })
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}
