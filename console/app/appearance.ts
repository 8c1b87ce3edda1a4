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

/** What the server keeps too: how wide the rail is belongs to a screen, not to a person. */
export type Kept = Pick<Appearance, 'theme' | 'density' | 'keys'>
const keptNames = ['theme', 'density', 'keys'] as const
const unsavedPlace = 'gatehouse-appearance-unsaved'

let told: ((change: Kept) => void) | undefined

/** Told of every choice while something listens; the answer stops it. */
export function onAppearanceChange(listener: (change: Kept) => void): () => void {
  told = listener
  return () => {
    if (told === listener) told = undefined
  }
}

/** What was chosen and the server has not taken yet: nobody could be told, or the page was left at once. */
export function unsavedAppearance(): Kept | undefined {
  try {
    return localStorage.getItem(unsavedPlace) === null ? undefined : keptOf(storedAppearance())
  } catch {
    return undefined
  }
}

/** The server has this; what was chosen since is still to be told. */
export function markSaved(saved: Kept): void {
  const now = keptOf(storedAppearance())
  if (keptNames.some((name) => saved[name] !== now[name])) return
  try {
    localStorage.removeItem(unsavedPlace)
  } catch {
    // It was not there either.
  }
}

/** What was chosen elsewhere. */
export function adoptAppearance(kept: Partial<Kept>): void {
  const change = Object.fromEntries(keptNames.filter((name) => kept[name]).map((name) => [name, kept[name]]))
  store({ ...storedAppearance(), ...change })
}

function keptOf({ theme, density, keys }: Appearance): Kept {
  return { theme, density, keys }
}

export function chooseAppearance(change: Partial<Appearance>): Appearance {
  const next = { ...storedAppearance(), ...change }
  store(next)
  if (keptNames.some((name) => name in change)) {
    markUnsaved()
    told?.(keptOf(next))
  }
  return next
}

function markUnsaved(): void {
  try {
    localStorage.setItem(unsavedPlace, '1')
  } catch {
    // Then it is not told either.
  }
}

function store(next: Appearance): void {
  try {
    localStorage.setItem(place, JSON.stringify(next))
  } catch {
    // A browser that keeps nothing still shows it until the page is left.
  }
  applyAppearance(next)
}
