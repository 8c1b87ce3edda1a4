/** What a person chose for this browser. It changes nothing but how things look and which keys work. */
export type Appearance = {
  theme: 'system' | 'light' | 'dark'
  density: 'compact' | 'normal' | 'roomy'
  keys: 'on' | 'off'
  rail: 'wide' | 'narrow'
}

const defaults: Appearance = { theme: 'system', density: 'normal', keys: 'on', rail: 'wide' }
const choices: { [K in keyof Appearance]: readonly Appearance[K][] } = {
  theme: ['system', 'light', 'dark'],
  density: ['compact', 'normal', 'roomy'],
  keys: ['on', 'off'],
  rail: ['wide', 'narrow'],
}

/** Of a stored text, whatever of it is one of the choices; the rest is as if it had never been chosen. */
export function readAppearance(stored: string | null): Appearance {
  let given: unknown
  try {
    given = JSON.parse(stored ?? '{}')
  } catch {
    given = {}
  }
  const chosen: Record<string, string> = { ...defaults }
  for (const [name, values] of Object.entries(choices)) {
    const value = (given as Record<string, unknown> | null)?.[name]
    if (typeof value === 'string' && (values as readonly string[]).includes(value)) chosen[name] = value
  }
  return chosen as Appearance
}

const place = 'gatehouse-appearance'

export function storedAppearance(): Appearance {
  try {
    return readAppearance(localStorage.getItem(place))
  } catch {
    return defaults
  }
}

export function applyAppearance(appearance = storedAppearance()): void {
  for (const [name, value] of Object.entries(appearance)) document.documentElement.dataset[name] = value
}

export function chooseAppearance(change: Partial<Appearance>): Appearance {
  const next = { ...storedAppearance(), ...change }
  try {
    localStorage.setItem(place, JSON.stringify(next))
  } catch {
    // A browser that keeps nothing still shows it until the page is left.
  }
  applyAppearance(next)
  return next
}
