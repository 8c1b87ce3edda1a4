import { addressesIn } from './addresses-in-text.ts'
import {
  type AddressReader,
  inBunLock,
  inDenoLock,
  inJson,
  inRequirements,
  inToml,
  inYaml,
} from './addresses-of-file.ts'

/** Where a file names a registry or an artifact at a host that is not the firewall. */
export type PastFirewall = { path: string; host: string; line: number; count: number; example: string }

type FileKind = {
  name: RegExp
  addresses: AddressReader
  /** Addresses that the client puts its own registry in the place of. */
  replaced?: RegExp
}

const kinds: FileKind[] = [
  // npm: `replace-registry-host` is `npmjs` unless somebody set it. Up to version 1 an address may be the version.
  {
    name: /^(package-lock|npm-shrinkwrap)\.json$/,
    addresses: inJson('resolved', 'version'),
    replaced: /^https?:\/\/registry\.npmjs\.org(:\d+)?\//,
  },
  // Yarn 1 asks what is written there, whatever registry is set, and reads YAML too. Later ones write an address only where it is unusual.
  { name: /^yarn\.lock$/, addresses: addressesIn },
  { name: /^pnpm-lock\.yaml$/, addresses: inYaml('tarball', 'registry') },
  { name: /^bun\.lock$/, addresses: inBunLock },
  { name: /^deno\.lock$/, addresses: inDenoLock },
  { name: /^(uv|poetry|pdm)\.lock$/, addresses: inToml('registry', 'url', 'index') },
  { name: /^pylock(\.[^.]+)?\.toml$/, addresses: inToml('registry', 'url', 'index') },
  // Cargo: crates.io is what the lines replace; another registry and a git address are asked as they are written there.
  {
    name: /^Cargo\.lock$/,
    addresses: inToml('source'),
    replaced: /^https:\/\/(index\.crates\.io\/|github\.com\/rust-lang\/crates\.io-index$)/,
  },
  { name: /^Pipfile\.lock$/, addresses: inJson('url', 'file') },
  { name: /\.(txt|in)$/, addresses: inRequirements },
]

/** Whether it is a file that can name registries. */
export function namesRegistries(path: string): boolean {
  return kindOf(path) !== undefined
}

/** In the text of one lockfile, by host. `firewall` is the address that fronts begin with. */
export function referencesPast(path: string, text: string, firewall: string): PastFirewall[] {
  const kind = kindOf(path)
  if (!kind) return []
  const found = new Map<string, PastFirewall>()
  for (const { url, line } of kind.addresses(text)) {
    // Without what may be a login in it.
    const shown = `${url.origin}${url.pathname}`
    if (shown.startsWith(firewall) || kind.replaced?.test(url.href)) continue
    const known = found.get(url.host)
    if (known) known.count++
    else found.set(url.host, { path, host: url.host, line, count: 1, example: shown })
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
