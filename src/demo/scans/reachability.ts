import { createHash } from 'node:crypto'
import type { Pinned } from './lockfiles.ts'
import type { Stack } from './packages.ts'

/** Real advisories that the demo's scanner follows into the code, with the versions of the catalogue that they hit. */
export type FollowedAdvisory = {
  ruleId: string
  alias: string
  stack: Stack
  name: string
  title: string
  score: number
  versions: string[]
}

export type Reached = {
  advisory: FollowedAdvisory
  version: string
  reachable: boolean
  lockfile: string
  line: number
}

const followed: FollowedAdvisory[] = [
  advisory('CVE-2024-29041', 'npm', 'express', 'an open redirect', 6.1, '4.16.4', '4.17.1', '4.18.2'),
  advisory('CVE-2022-23540', 'npm', 'jsonwebtoken', 'signatures that are not checked', 6.4, '8.5.1'),
  advisory('CVE-2022-24999', 'npm', 'qs', 'a request that stops the process', 7.5, '6.5.2'),
  advisory('CVE-2023-30861', 'pypi', 'flask', 'session cookies that a cache may keep', 7.5, '1.1.4', '2.2.4'),
  advisory('CVE-2024-22195', 'pypi', 'jinja2', 'attributes that are not escaped', 5.4, '2.10', '3.1.2'),
  advisory('CVE-2020-36242', 'pypi', 'cryptography', 'an overflow while encrypting', 9.1, '3.2'),
  advisory('CVE-2020-36518', 'maven', 'com.fasterxml.jackson.core:jackson-databind', 'a deep document', 7.5, '2.9.8'),
  advisory('CVE-2022-21724', 'maven', 'org.postgresql:postgresql', 'classes that a URL names', 9.8, '42.2.5'),
  advisory('CVE-2023-48795', 'gomod', 'golang.org/x/crypto', 'a truncated SSH handshake', 5.9, 'v0.9.0'),
  advisory('CVE-2023-29401', 'gomod', 'github.com/gin-gonic/gin', 'file names that are not escaped', 4.3, 'v1.7.0'),
]

/** Which of them a repository has, and whether its code calls the vulnerable part: the same answer each time. */
export function followAdvisories(
  repository: string,
  stack: Stack,
  lockfile: string,
  pinned: readonly Pinned[],
): Reached[] {
  return followed.flatMap((each) => {
    const at = pinned.findIndex(({ name, version }) => name === each.name && each.versions.includes(version))
    if (each.stack !== stack || at < 0) return []
    const reachable = digestOf(`${repository} ${each.alias}`)[0]! < 90
    return [{ advisory: each, version: pinned[at]!.version, reachable, lockfile, line: at + 1 }]
  })
}

function advisory(
  alias: string,
  stack: Stack,
  name: string,
  title: string,
  score: number,
  ...versions: string[]
): FollowedAdvisory {
  const hex = digestOf(alias).toString('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)]
  return { ruleId: `ssc-${parts.join('-')}`, alias, stack, name, title, score, versions }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
