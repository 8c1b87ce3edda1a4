/** A path of the console, and nothing that a browser could take for another server. Anything else is its start. */
export function returnPath(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(wanted)) return '/'
  const url = URL.parse(wanted, 'http://console.invalid')
  if (url?.origin !== 'http://console.invalid') return '/'
  const isPage = url.pathname === '/' || /^\/(me|d|device|authorize|refused|chat)(\/|$)/.test(url.pathname)
  return isPage ? url.pathname + url.search + url.hash : '/'
}
