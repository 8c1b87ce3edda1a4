import { serviceUrlProblem } from '../../../outbound/ssrf-guard/service-url.ts'

/** What is wrong with the address of a tracker, or undefined. */
export function trackerUrlProblem(text: string): string | undefined {
  const problem = serviceUrlProblem(text)
  if (problem) return problem
  return new URL(text).pathname === '/' ? undefined : 'must be the address of the site alone, without a path'
}

/** How people call a site: its name at the tracker's provider, or else its host. */
export function subdomainOf(origin: string): string {
  const { host } = new URL(origin)
  return /^([a-z0-9-]+)\.atlassian\.net$/.exec(host)?.[1] ?? host
}
