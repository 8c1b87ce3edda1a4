import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Document } from './scans/lockfiles.ts'

const mostAttempts = 5

export type DemoClient = ReturnType<typeof createDemoClient>

/** Asks as any program would, over HTTP, and takes nothing but success for an answer. */
export function createDemoClient(url: string, token: string) {
  async function call<T = Record<string, never>>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() }
    if (body !== undefined) headers['content-type'] = 'application/json'
    return answer<T>(method, path, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
  }

  async function upload(path: string, scan: object, documents: readonly Document[]): Promise<void> {
    const form = new FormData()
    form.append('scan', new Blob([JSON.stringify(scan)], { type: 'application/json' }))
    for (const document of documents) form.append(document.path, new Blob([document.content]))
    await answer('POST', path, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form })
  }

  async function answer<T>(method: string, path: string, request: RequestInit): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(url + path, request)
      const text = await response.text()
      if (response.ok) return JSON.parse(text) as T
      // A machine that has much else to do may be late with the database. Twice has one effect: calls have a key, and a scan
      // that was sent already is known.
      if (response.status !== 503 || attempt === mostAttempts)
        throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
      await delay(1_000 * Number(response.headers.get('retry-after') ?? 1))
    }
  }

  /** Answers whether it was let through. */
  async function fetchPackage(path: string): Promise<boolean> {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    await response.arrayBuffer()
    if (!response.ok && response.status !== 403) throw new Error(`${path} answered ${response.status}`)
    return response.ok
  }

  /** The same server, as somebody else. */
  const as = (otherToken: string) => createDemoClient(url, otherToken)

  return { call, upload, fetchPackage, as }
}
