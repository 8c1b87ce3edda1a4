/** Only to a page of the console: an address from outside must not lead anywhere else after the sign-in. */
export function onward(target: string | undefined): string | undefined {
  if (!target || !/^\/(?:d\/|(?:me|device|authorize|refused)(?:[/?]|$)|chat\/)/.test(target)) return undefined
  const there = new URL(target, 'https://here.invalid')
  return there.origin === 'https://here.invalid' && !target.includes('\\') ? target : undefined
}
