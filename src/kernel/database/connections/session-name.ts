import { currentTrace } from '../../tracing/tracing.ts'
import { applicationName } from '../migrations/version-fence.ts'

/**
 * The name of a session while it works for a trace: `application_name` in pg_stat_activity, and `%a` in the log of PostgreSQL.
 * Empty outside of a trace, where it keeps its own. At most 63 bytes, which is what PostgreSQL keeps.
 */
export function sessionName(): string {
  const trace = currentTrace()
  return trace ? `${applicationName} ${trace.traceId}-${trace.spanId}` : ''
}

/** The same in a text that takes no parameters. The name has letters, digits, spaces and a dash, so it needs no quoting. */
export function nameSessionNow(): string {
  const name = sessionName()
  return name && `, set_config('application_name', '${name}', true)`
}

/** Part of the statement that sets the tenant, so that it costs no round trip and no text of a statement changes. */
export function nameSession(parameter: string): string {
  return `case when ${parameter}::text <> '' then set_config('application_name', ${parameter}::text, true) end`
}
