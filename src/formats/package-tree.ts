/**
 * Packages as Node.js finds them: each place has the packages nested in it by name, and what is not found there is
 * looked for in the place around it. Used instead of joining and cutting paths, whose length a document decides.
 */
export type TreeNode<T> = {
  readonly around: TreeNode<T> | undefined
  readonly nested: Map<string, TreeNode<T>>
  content: T | undefined
}

export function createTreeNode<T>(around: TreeNode<T> | undefined): TreeNode<T> {
  return { around, nested: new Map(), content: undefined }
}

/** The place reached by these names, made where it is not there yet. */
export function treeNodeAt<T>(root: TreeNode<T>, names: readonly string[]): TreeNode<T> {
  let place = root
  for (const name of names) {
    let next = place.nested.get(name)
    if (!next) {
      next = createTreeNode(place)
      place.nested.set(name, next)
    }
    place = next
  }
  return place
}

/** What a package at `from` gets when it asks for `name`. */
export function resolvePackage<T>(from: TreeNode<T>, name: string): TreeNode<T> | undefined {
  for (let place: TreeNode<T> | undefined = from; place; place = place.around) {
    const found = place.nested.get(name)
    if (found?.content !== undefined) return found
  }
  return undefined
}
