import type { Stack } from './packages.ts'

export type Pinned = { name: string; version: string; licence: string }
export type Document = { path: string; content: string }

export function lockfile(stack: Stack, repository: string, pinned: Pinned[]): Document {
  return lockfiles[stack](repository, pinned)
}

const lockfiles: Record<Stack, (repository: string, pinned: Pinned[]) => Document> = {
  npm: (repository, pinned) => {
    const entries = pinned.map(({ name, version, licence }) => [
      `node_modules/${name}`,
      { version, resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`, license: licence },
    ])
    const dependencies = Object.fromEntries(pinned.slice(0, 8).map(({ name, version }) => [name, `^${version}`]))
    const root = { name: repository.split('/').at(-1), dependencies }
    const content = { name: root.name, lockfileVersion: 3, packages: { '': root, ...Object.fromEntries(entries) } }
    return { path: 'package-lock.json', content: JSON.stringify(content, null, 2) }
  },
  pypi: (_, pinned) => ({
    path: 'requirements.txt',
    content: pinned.map(({ name, version }) => `${name}==${version}\n`).join(''),
  }),
  maven: (_, pinned) => ({
    path: 'gradle.lockfile',
    content: `# This is a Gradle generated file for dependency locking.\n${pinned
      .map(({ name, version }) => `${name}:${version}=compileClasspath,runtimeClasspath\n`)
      .join('')}empty=annotationProcessor\n`,
  }),
  gomod: (repository, pinned) => ({
    path: 'go.mod',
    content: `module example.com/${repository}\n\ngo 1.23\n\nrequire (\n${pinned
      .map(({ name, version }) => `\t${name} ${version}\n`)
      .join('')})\n`,
  }),
}
