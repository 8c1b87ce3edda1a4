/**
 * Packages as Node.js finds them: each place has the packages nested in it by name, and what is not found there is
 * looked for in the place around it. Used instead of joining and cutting paths, whose length a document decides.
 */
export type Place<T> = {
  readonly around: Place<T> | undefined
  readonly nested: Map<string, Place<T>>
  content: T | undefined
}

export function createPlace<T>(around: Place<T> | undefined): Place<T> {
  return { around, nested: new Map(), content: undefined }
}

/** The place reached by these names, made where it is not there yet. */
export function placeAt<T>(root: Place<T>, names: readonly string[]): Place<T> {
  let place = root
  for (const name of names) {
    let next = place.nested.get(name)
    if (!next) {
      next = createPlace(place)
      place.nested.set(name, next)
    }
    place = next
  }
  return place
}

/** What a package at `from` gets when it asks for `name`. */
export function resolvePackage<T>(from: Place<T>, name: string): Place<T> | undefined {
  for (let place: Place<T> | undefined = from; place; place = place.around) {
    const found = place.nested.get(name)
    if (found?.content !== undefined) return found
  }
  return undefined
}
