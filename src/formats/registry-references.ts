/** Where a file names a registry or an artifact at a host that is not the firewall. */
export type PastFirewall = { path: string; host: string; line: number; count: number; example: string }

type FileKind = {
  name: RegExp
  /** A line that names an address; its first group has it. */
  line: RegExp
  /** Addresses that the client puts its own registry in the place of. */
  replaced?: RegExp
}

const address = '(https?://[^"\'\\s,;\\]}]+)'
const tomlLine = new RegExp(`^(?:.*[{\\s,])?(?:registry|url|index) = "${address}"`)
const kinds: FileKind[] = [
  // npm: `replace-registry-host` is `npmjs` unless somebody set it.
  {
    name: /^(package-lock|npm-shrinkwrap)\.json$/,
    line: new RegExp(`^\\s*"resolved": "${address}"`),
    replaced: /^https?:\/\/registry\.npmjs\.org(:\d+)?\//,
  },
  // Yarn 1 asks what is written there, whatever registry is set. Later ones write an address only where it is unusual.
  { name: /^yarn\.lock$/, line: new RegExp(`(?:^\\s+resolved "|__archiveUrl=)${address}`) },
  { name: /^pnpm-lock\.yaml$/, line: new RegExp(`\\btarball: ["']?${address}`) },
  { name: /^bun\.lock$/, line: new RegExp(`^\\s*"[^"]+": \\["[^"]+", "${address}"`) },
  { name: /^(uv|poetry|pdm)\.lock$/, line: tomlLine },
  { name: /^pylock(\.[^.]+)?\.toml$/, line: tomlLine },
  // Cargo: crates.io is what the lines replace; another registry and a git address are asked as they are written there.
  {
    name: /^Cargo\.lock$/,
    line: new RegExp(`^source = "(?:registry|sparse|git)\\+${address}`),
    replaced: /^https:\/\/(index\.crates\.io\/|github\.com\/rust-lang\/crates\.io-index$)/,
  },
  { name: /^Pipfile\.lock$/, line: new RegExp(`^\\s*"url": "${address}"`) },
  {
    name: /\.(txt|in)$/,
    line: new RegExp(
      `^\\s*(?:(?:-i|-f|--index-url|--extra-index-url|--find-links)[ =]|[A-Za-z0-9._-]+(?:\\[[^\\]]*\\])? *@ *)${address}`,
    ),
  },
]

const longestLine = 20_000

/** Whether it is a file that can name registries. */
export function namesRegistries(path: string): boolean {
  return kindOf(path) !== undefined
}

/** In the text of one lockfile, by host. `firewall` is the address that fronts begin with. */
export function referencesPast(path: string, text: string, firewall: string): PastFirewall[] {
  const kind = kindOf(path)
  if (!kind) return []
  const found = new Map<string, PastFirewall>()
  for (const [at, line] of text.split('\n').entries()) {
    // No address is so long, and none of these files has it on such a line.
    if (line.length > longestLine) continue
    const example = kind.line.exec(line)?.[1]
    const url = example === undefined ? null : URL.parse(example)
    if (!url || url.href.startsWith(firewall) || kind.replaced?.test(url.href)) continue
    // Without what may be a login in it.
    const shown = `${url.origin}${url.pathname}`
    const known = found.get(url.host)
    if (known) known.count++
    else found.set(url.host, { path, host: url.host, line: at + 1, count: 1, example: shown })
  }
  return [...found.values()]
}

/** The front of every deployment of a server, without the slash that an address may end with. */
export function firewallAddress(url: URL): string {
  return `${url.href.replace(/\/+$/, '')}/firewall/`
}

function kindOf(path: string): FileKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return kinds.find((each) => each.name.test(name))
}
