import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'

/** Where advisories have their packages from. Of other ecosystems an address does not tell it. */
const publicHosts: Partial<Record<EcosystemId, readonly string[]>> = {
  npm: [
    'registry.npmjs.org',
    'registry.npmjs.com',
    'registry.yarnpkg.com',
    'registry.npmmirror.com',
    'cdn.npmmirror.com',
    'registry.npm.taobao.org',
  ],
  pypi: ['pypi.org', 'www.pypi.org', 'pypi.python.org', 'files.pythonhosted.org'],
  maven: ['repo1.maven.org', 'repo.maven.apache.org', 'maven.google.com', 'dl.google.com', 'plugins.gradle.org'],
  cargo: ['crates.io', 'index.crates.io', 'static.crates.io'],
  gem: ['rubygems.org', 'www.rubygems.org', 'index.rubygems.org'],
  nuget: ['api.nuget.org', 'www.nuget.org', 'nuget.org'],
  pub: ['pub.dev', 'pub.dartlang.org', 'pub.flutter-io.cn'],
  hex: ['hex.pm', 'repo.hex.pm', 'builds.hex.pm'],
  cocoapods: ['cdn.cocoapods.org', 'trunk.cocoapods.org'],
}

const cratesIndex = /^https:\/\/github\.com\/rust-lang\/crates\.io-index(?:[.#?/]|$)/
const ourFront = /^\/firewall\/\d+\/(?:npm|pypi|maven|cargo)\//
const gitAddress = /^(?:git|ssh|git\+[a-z]+):|^(?:github|gitlab|bitbucket|gist):|\.git(?:[#?/]|$)/i
const gitHost = /^(?:[\w-]+\.)*(?:github\.com|gitlab\.com|bitbucket\.org)$/
const folder = /^(?:file|link|portal|path):|^(?:\.{1,2}|~)?[\\/]|^\.{1,2}$|^[a-z]:[\\/]/i

/**
 * Why a dependency is not the package of that name in the public registry, in words that follow "It comes from"; undefined where
 * it is, or where its file does not say. `mirrors` are hosts that serve what the public registry has.
 */
export function foreignOrigin(
  ecosystem: EcosystemId,
  resolved: string,
  mirrors: readonly string[],
): string | undefined {
  const hosts = publicHosts[ecosystem]
  if (!hosts || resolved === '') return undefined
  if (ecosystem === 'cargo' && cratesIndex.test(resolved)) return undefined
  if (folder.test(resolved)) return `a file or folder (${shortened(resolved)})`
  const url = URL.parse(resolved)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && (hosts.includes(url.host) || mirrors.includes(url.host) || ourFront.test(url.pathname))) return undefined
  if (gitAddress.test(resolved) || (isWeb && gitHost.test(url.host))) return `a git address (${shortened(resolved)})`
  return isWeb ? `another host than the public registry (${shortened(url.host)})` : undefined
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
