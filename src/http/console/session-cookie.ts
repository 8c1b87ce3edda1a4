export type SessionCookie = ReturnType<typeof createSessionCookie>

/**
 * The cookie that a browser's session is known by. Under https no other host and no other path can set one in its place
 * (RFC 6265bis §4.1.3.2); without, browsers take neither the prefix nor `Secure`.
 */
export function createSessionCookie(https: boolean, plainName = 'gatehouse') {
  const name = https ? `__Host-${plainName}` : plainName
  const attributes = `Path=/; HttpOnly; SameSite=Strict${https ? '; Secure' : ''}`

  /** Undefined where there is none. Of two with the name one was planted, and nobody can say which. */
  function read(header: string | undefined): string | undefined {
    if (header === undefined) return undefined
    const values = header
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1))
    return values.length === 1 ? values[0] : undefined
  }

  function write(cookie: { secret: string; seconds: number } | null): string {
    if (!cookie) return `${name}=; Max-Age=0; ${attributes}`
    return `${name}=${cookie.secret}; Max-Age=${cookie.seconds}; ${attributes}`
  }

  return { read, write }
}
