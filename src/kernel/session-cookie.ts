/** Carries the secret of a browser's session beside an answer's wire shape, for the `Set-Cookie` header. */
const secret = Symbol('session cookie')

/** `null` ends it. */
export function withSessionCookie<T extends object>(answer: T, value: { secret: string; seconds: number } | null): T {
  return Object.defineProperty(answer, secret, { value, enumerable: false })
}

export function sessionCookieOf(answer: unknown): { secret: string; seconds: number } | null | undefined {
  return typeof answer === 'object' && answer !== null
    ? (answer as { [secret]?: { secret: string; seconds: number } | null })[secret]
    : undefined
}

/** Carries the secret of a sign-in that goes through another server, which binds it to the browser that began it. */
const flow = Symbol('sign-in cookie')

/** `null` ends it. */
export function withSignInCookie<T extends object>(answer: T, value: { secret: string; seconds: number } | null): T {
  return Object.defineProperty(answer, flow, { value, enumerable: false })
}

export function signInCookieOf(answer: unknown): { secret: string; seconds: number } | null | undefined {
  return typeof answer === 'object' && answer !== null
    ? (answer as { [flow]?: { secret: string; seconds: number } | null })[flow]
    : undefined
}
