/** Documents of a format that grow by their entries, and the beginnings after which hostile ones go on. */
export type Documents = { name: string; heads?: string[]; whole: Record<string, (count: number) => string> }

export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
export const lines = (count: number, line: (at: number) => string) => times(count, line).join('\n')
export const object = <T>(count: number, entry: (at: number) => [string, T]) => Object.fromEntries(times(count, entry))
/** Each needs the next one; the first needs all. */
export const needs = (at: number, count: number): string[] =>
  at === 0 ? times(count, (to) => `p${to}`) : [`p${(at + 1) % count}`]
