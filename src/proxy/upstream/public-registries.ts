import type { ProxyEcosystem } from '../release-check.ts'

/** Where everybody may publish under a name that is free. */
const hosts: Record<ProxyEcosystem, readonly string[]> = {
  npm: ['registry.npmjs.org', 'registry.npmjs.com', 'registry.yarnpkg.com', 'registry.npmmirror.com'],
  pypi: ['pypi.org', 'pypi.python.org', 'test.pypi.org'],
  maven: [
    'repo.maven.apache.org',
    'repo1.maven.org',
    'repo2.maven.org',
    'central.sonatype.com',
    'oss.sonatype.org',
    's01.oss.sonatype.org',
    'maven-central.storage.googleapis.com',
    'maven-central.storage-download.googleapis.com',
    'jcenter.bintray.com',
    'jitpack.io',
    'plugins.gradle.org',
  ],
  cargo: ['index.crates.io', 'crates.io', 'static.crates.io'],
  gomod: ['proxy.golang.org', 'goproxy.io', 'goproxy.cn'],
}

/** `standardUrl`: that of the default upstream, which serves every deployment. */
export function isPublicRegistry(ecosystem: ProxyEcosystem, url: string, standardUrl: string): boolean {
  return url === standardUrl || isPublicHost(ecosystem, new URL(url).hostname)
}

export function isPublicHost(ecosystem: ProxyEcosystem, host: string): boolean {
  return hosts[ecosystem].includes(host)
}
