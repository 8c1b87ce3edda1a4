import type { Pair } from './address.ts'

type Understood = Readonly<Record<string, 'anything' | readonly string[] | ((value: string) => boolean)>>

/** What of an address a page takes no notice of: nobody may think that it was asked for. */
export function notUnderstood(pairs: readonly Pair[], understood: Understood): Pair[] {
  return pairs.filter(([name, value]) => {
    const fits = Object.hasOwn(understood, name) ? understood[name]! : []
    if (fits === 'anything') return false
    return typeof fits === 'function' ? !fits(value) : !fits.includes(value)
  })
}

/** Whoever shows a period says by itself what of it is not understood. */
export const periodNames = { period: 'anything', since: 'anything', until: 'anything' } as const
