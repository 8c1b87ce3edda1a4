import type { NpmRegistrySandbox } from '../src/sandbox/registries/npm-registry.ts'

/** A version that somebody may fetch, or one that an advisory names. */
export type LoadPackage = { name: string; version: string; isMalicious: boolean }

/** What became of the requests for it: answered whole, or cut off before that. */
export type Tally = { seen: number; cut: number }

/** Clients that fetch packages through the firewall, hold every byte against the registry's, and keep count. */
export function createFirewallLoad(registry: NpmRegistrySandbox, packages: readonly LoadPackage[], token: string) {
  const tallies = new Map(packages.map((wanted) => [wanted, { seen: 0, cut: 0 }]))
  const wrong: string[] = []
  let answered = 0

  /** False when it was cut off: by no fault of its own, the server is gone. */
  async function fetchOne(base: string, wanted: LoadPackage): Promise<boolean> {
    const { name, version, isMalicious } = wanted
    const path = `/${name}/-/${name}-${version}.tgz`
    const tally = tallies.get(wanted)!
    const answer = await ask(base + path, token)
    if (!answer) {
      tally.cut++
      return false
    }
    tally.seen++
    answered++
    const isRight = isMalicious
      ? answer.status === 403 && answer.content.includes(`refuses ${name}@${version}`)
      : answer.status === 200 && answer.content.equals(registry.tarballs.get(path)!)
    if (!isRight) wrong.push(`${name}@${version}: ${answer.status} and ${answer.content.length} bytes`)
    return true
  }

  function total(which: (wanted: LoadPackage) => boolean): Tally {
    const chosen = [...tallies].filter(([wanted]) => which(wanted)).map(([, tally]) => tally)
    const sum = (key: keyof Tally) => chosen.reduce((all, tally) => all + tally[key], 0)
    return { seen: sum('seen'), cut: sum('cut') }
  }

  return { fetchOne, total, wrong, answered: () => answered }
}

/** Undefined where the answer did not come whole. */
async function ask(url: string, token: string): Promise<{ status: number; content: Buffer } | undefined> {
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, content: Buffer.from(await response.arrayBuffer()) }
  } catch {
    return undefined
  }
}
