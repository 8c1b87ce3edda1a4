/** The code of a page is fetched when somebody is about to open it. Set by the router, so that links need not know it. */
let load: ((path: string) => void) | undefined

export function onPreload(loader: (path: string) => void): void {
  load = loader
}

export function preload(to: string): void {
  load?.(to.split('?')[0]!)
}
