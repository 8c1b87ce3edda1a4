/**
 * OWASP's password storage cheat sheet, with more memory than its minimum; about 50 ms on one core. Each hash carries what it was
 * made with. Nothing in the product changes this; the tests lower it, because they sign in thousands of times.
 */
export const derivationCost = { memory: 32 * 1024, passes: 3, parallelism: 1, tagLength: 32 }
