/** `null` ends it. */
type Cookie = { secret: string; seconds: number } | null

/** Carries a secret beside an answer's wire shape, for the `Set-Cookie` header. */
function cookieBeside(name: string) {
  const key = Symbol(name)
  return {
    with: <T extends object>(answer: T, value: Cookie): T =>
      Object.defineProperty(answer, key, { value, enumerable: false }),
    of: (answer: unknown): Cookie | undefined =>
      typeof answer === 'object' && answer !== null ? (answer as { [key]?: Cookie })[key] : undefined,
  }
}

/** That of a browser's session. */
export const { with: withSessionCookie, of: sessionCookieOf } = cookieBeside('session cookie')

/** That of a sign-in that goes through another server, which binds it to the browser that began it. */
export const { with: withSignInCookie, of: signInCookieOf } = cookieBeside('sign-in cookie')
