import { checkedHeaders } from '../ssrf-guard/request-headers.ts'

export type Collector = {
  /** Base address of OTLP over HTTP, without a slash at its end. */
  endpoint: string
  /** May hold a secret: they go to the collector and nowhere else. */
  headers: Record<string, string>
}

/** `OTEL_EXPORTER_OTLP_HEADERS`: `name=value`, separated by commas, values percent-encoded. Undefined where it is not that. */
export function parseCollectorHeaders(text: string): Record<string, string> | undefined {
  try {
    const pairs = text
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map((entry) => {
        const at = entry.indexOf('=')
        if (at < 1) throw new Error('a header without a value')
        return [entry.slice(0, at).trim(), decodeURIComponent(entry.slice(at + 1).trim())]
      })
    return checkedHeaders(Object.fromEntries(pairs))
  } catch {
    return undefined
  }
}
