export type Level = 'debug' | 'info' | 'warn' | 'error'
/** At `debug` unless told otherwise. */
export type Log = (message: string, detail?: object, level?: Level) => void

/** log_line_prefix: which process, of which kind. */
export const LINE_PREFIX = '%p %b|'

export type ServerLine = { pid: number; process: string; severity: string; message: string }

/** What fails at a client's request is told to that client, and may quote the client's values: not for a log. */
const CLIENT_PROCESSES = new Set(['client backend', 'parallel worker'])
const NOT_THE_CLIENTS = new Set(['LOG', 'PANIC'])

/** Reads one line of PostgreSQL's standard error; undefined for what is not to be logged. */
export function readServerLine(line: string): ServerLine | undefined {
  const match = /^(\d+) ([^|]*)\|([A-Z0-9]+): +(.*)$/s.exec(line)
  if (!match) {
    // Lines of a longer message start with a tab, and belong to one that may have been left out.
    return line.trim() === '' || line.startsWith('\t')
      ? undefined
      : { pid: 0, process: '', severity: 'LOG', message: line }
  }
  const [, pid, process, severity, message] = match as unknown as [string, string, string, string, string]
  if (CLIENT_PROCESSES.has(process) && !NOT_THE_CLIENTS.has(severity)) return undefined
  return { pid: Number(pid), process, severity, message }
}

/** What PostgreSQL says of its own processes when it is stopped, or of work that gives way to somebody's statement. */
const ORDINARY = /due to administrator command|canceling autovacuum task|the database system is /
/** What it calls a LOG, though something has failed. */
const FAILED = /was terminated by signal|could not |failed/

/** How much the operator has to do with a line. Those of clients that are logged at all are about their connections. */
export function levelOf({ severity, process, message }: ServerLine): Level {
  if (severity === 'PANIC') return 'error'
  if (CLIENT_PROCESSES.has(process) || process === '' || ORDINARY.test(message)) return 'debug'
  if (severity === 'FATAL') return 'error'
  if (severity === 'ERROR' || severity === 'WARNING') return 'warn'
  return severity === 'LOG' && FAILED.test(message) ? 'warn' : 'debug'
}
