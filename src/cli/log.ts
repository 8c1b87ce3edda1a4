import pino, { type Logger } from 'pino'

let shownAt = 0
let shown = ''

/** RFC 3339, made once a millisecond: many lines may fall into one. */
function timestamp(): string {
  const now = Date.now()
  if (now !== shownAt) {
    shownAt = now
    shown = `,"time":"${new Date(now).toISOString()}"`
  }
  return shown
}

const batchCharacters = 32_768
const batchMs = 200

/** One JSON line per event on standard error, written in batches so that logging does not slow requests down. */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: false })
  let lines = ''
  const pass = () => {
    if (lines) destination.write(lines)
    lines = ''
  }
  setInterval(pass, batchMs).unref()
  process.on('exit', () => {
    pass()
    destination.flushSync()
  })
  const batches = {
    write(line: string) {
      lines += line
      if (lines.length >= batchCharacters) pass()
    },
  }
  return pino({ level, base: null, timestamp }, batches)
}
