export type Log = (message: string, detail?: object) => void

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
