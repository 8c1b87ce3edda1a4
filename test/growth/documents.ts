import { bills } from './bills.ts'
import { type Documents, lines, needs, object, times } from './generate.ts'
import { sarifLogs } from './sarif-logs.ts'
import { toolReports } from './tool-reports.ts'

/** Of each format that is read. */
export const documents: Record<string, Documents> = {
  ...bills,
  ...sarifLogs,
  ...toolReports,
  'package-lock': {
    name: 'package-lock.json',
    heads: ['{"lockfileVersion":3,"packages":{'],
    whole: {
      packages: (count) =>
        JSON.stringify({
          lockfileVersion: 3,
          packages: {
            '': { dependencies: object(count, (at) => [`p${at}`, '1.0.0']) },
            ...object(count, (at) => [
              `node_modules/p${at}`,
              { version: '1.0.0', dependencies: { [`p${(at + 1) % count}`]: '1' } },
            ]),
          },
        }),
      'packages in folders of each other': (count) =>
        JSON.stringify({
          lockfileVersion: 3,
          packages: object(count, (at) => [
            `${'node_modules/a/'.repeat(at % 40)}node_modules/p${at}`,
            { version: '1.0.0', dependencies: { a: '1', b: '1' } },
          ]),
        }),
      'an old one': (count) =>
        JSON.stringify({
          lockfileVersion: 1,
          dependencies: object(count, (at) => [
            `p${at}`,
            { version: '1.0.0', requires: { [`p${(at + 1) % count}`]: '1' } },
          ]),
        }),
    },
  },
  'yarn-v1': {
    name: 'yarn.lock',
    heads: ['# yarn lockfile v1\n\n\na@^1:\n  version "1"\n'],
    whole: {
      packages: (count) =>
        `# yarn lockfile v1\n\n\n${lines(count, (at) => `p${at}@^1:\n  version "1.0.0"\n  resolved "https://r.example/p${at}.tgz"\n  dependencies:\n    p${(at + 1) % count} "^1"\n`)}`,
      'one of many names': (count) =>
        `# yarn lockfile v1\n\n\n${times(count, (at) => `p@^${at}`).join(', ')}:\n  version "1.0.0"\n`,
    },
  },
  'yarn-berry': {
    name: 'yarn.lock',
    heads: ['__metadata:\n  version: 8\n\n'],
    whole: {
      packages: (count) =>
        `__metadata:\n  version: 8\n\n${lines(count, (at) => `"p${at}@npm:^1":\n  version: 1.0.0\n  resolution: "p${at}@npm:1.0.0"\n  dependencies:\n    p${(at + 1) % count}: "npm:^1"\n  languageName: node\n  linkType: hard\n`)}`,
    },
  },
  'pnpm-lock': {
    name: 'pnpm-lock.yaml',
    heads: ["lockfileVersion: '9.0'\npackages:\n"],
    whole: {
      packages: (count) =>
        `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n${lines(count, (at) => `      p${at}:\n        specifier: 1.0.0\n        version: 1.0.0`)}\n\npackages:\n\n${lines(count, (at) => `  p${at}@1.0.0:\n    resolution: {integrity: sha512-a}\n`)}\nsnapshots:\n\n${lines(count, (at) => `  p${at}@1.0.0:\n    dependencies:\n      p${(at + 1) % count}: 1.0.0\n`)}`,
    },
  },
  'bun-lock': {
    name: 'bun.lock',
    heads: ['{"lockfileVersion":1,"workspaces":{"":{}},"packages":{'],
    whole: {
      packages: (count) =>
        JSON.stringify({
          lockfileVersion: 1,
          workspaces: { '': { name: 'a', dependencies: object(count, (at) => [`p${at}`, '1']) } },
          packages: object(count, (at) => [
            `p${at}`,
            [`p${at}@1.0.0`, '', { dependencies: { [`p${(at + 1) % count}`]: '1' } }, 'sha512-a'],
          ]),
        }),
    },
  },
  'deno-lock': {
    name: 'deno.lock',
    heads: ['{"version":"5","specifiers":{"npm:p0@1":"1.0.0"},"npm":{'],
    whole: {
      packages: (count) =>
        JSON.stringify({
          version: '5',
          specifiers: object(count, (at) => [`npm:p${at}@1`, '1.0.0']),
          npm: object(count, (at) => [`p${at}@1.0.0`, { dependencies: [`p${(at + 1) % count}`] }]),
        }),
      'one in many versions': (count) =>
        JSON.stringify({
          version: '5',
          specifiers: object(count, (at) => [`npm:p@${at}`, `${at}.0.0`]),
          npm: object(count, (at) => [`p@${at}.0.0`, { dependencies: [`p@${(at + 1) % count}.0.0`, 'p'] }]),
        }),
    },
  },
  'cargo-lock': {
    name: 'Cargo.lock',
    heads: ['version = 3\n\n[[package]]\nname = "a"\nversion = "1"\n'],
    whole: {
      packages: (count) =>
        `version = 3\n\n${lines(
          count,
          (at) =>
            `[[package]]\nname = "p${at}"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\ndependencies = [\n${needs(
              at,
              count,
            )
              .map((name) => ` "${name}",`)
              .join('\n')}\n]\n`,
        )}`,
      'one in many versions': (count) =>
        `version = 3\n\n${lines(count, (at) => `[[package]]\nname = "p"\nversion = "${at}.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\ndependencies = [\n "p ${(at + 1) % count}.0.0",\n]\n`)}`,
    },
  },
  'composer-lock': {
    name: 'composer.lock',
    heads: ['{"content-hash":"a","packages":['],
    whole: {
      packages: (count) =>
        JSON.stringify({
          'content-hash': 'a',
          packages: times(count, (at) => ({
            name: `v/p${at}`,
            version: '1.0.0',
            require: { [`v/p${(at + 1) % count}`]: '^1' },
          })),
          'packages-dev': [],
        }),
    },
  },
  'gemfile-lock': {
    name: 'Gemfile.lock',
    heads: ['GEM\n  remote: https://rubygems.org/\n  specs:\n'],
    whole: {
      gems: (count) =>
        `GEM\n  remote: https://rubygems.org/\n  specs:\n${lines(count, (at) => `    p${at} (1.0.0)\n      p${(at + 1) % count}`)}\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n${lines(count, (at) => `  p${at}`)}\n`,
    },
  },
  'go-mod': {
    name: 'go.mod',
    heads: ['module a\n\nrequire (\n', 'module a//', 'module '],
    whole: {
      requirements: (count) => `module a\n\nrequire (\n${lines(count, (at) => `\texample.com/p${at} v1.0.0`)}\n)\n`,
      replacements: (count) =>
        `module a\n\nreplace (\n${lines(count, (at) => `\texample.com/p${at} => example.com/q${at} v1.0.0`)}\n)\n`,
    },
  },
  'go-sum': {
    name: 'go.sum',
    heads: ['example.com/a v1.0.0 h1:'],
    whole: {
      modules: (count) => lines(count, (at) => `example.com/p${at} v1.0.0 h1:${'a'.repeat(43)}=`),
      'versions of one': (count) => lines(count, (at) => `example.com/p v1.0.${at} h1:${'a'.repeat(43)}=`),
    },
  },
  'gradle-lockfile': {
    name: 'gradle.lockfile',
    heads: ['# This is a Gradle generated file for dependency locking.\n'],
    whole: {
      modules: (count) =>
        `# This is a Gradle generated file for dependency locking.\n${lines(count, (at) => `g:p${at}:1.0=compileClasspath,runtimeClasspath`)}\nempty=\n`,
    },
  },
  'gradle-verification': {
    name: 'verification-metadata.xml',
    heads: ['<verification-metadata><components>'],
    whole: {
      components: (count) =>
        `<verification-metadata><components>${lines(count, (at) => `<component group="g" name="p${at}" version="1"><artifact name="p${at}-1.jar"/></component>`)}</components></verification-metadata>`,
    },
  },
  'maven-pom': {
    name: 'pom.xml',
    heads: ['<project><modelVersion>4.0.0</modelVersion><dependencies>'],
    whole: {
      dependencies: (count) =>
        `<project><modelVersion>4.0.0</modelVersion><dependencies>${lines(count, (at) => `<dependency><groupId>g</groupId><artifactId>p${at}</artifactId><version>1</version></dependency>`)}</dependencies></project>`,
      'properties in each other': (count) =>
        `<project><modelVersion>4.0.0</modelVersion><properties>${lines(count, (at) => `<v${at}>\${v${at + 1}}</v${at}>`)}</properties><dependencies>${lines(count, (at) => `<dependency><groupId>g</groupId><artifactId>p${at}</artifactId><version>\${v${at}}</version></dependency>`)}</dependencies></project>`,
      'managed versions': (count) =>
        `<project><modelVersion>4.0.0</modelVersion><dependencyManagement><dependencies>${lines(count, (at) => `<dependency><groupId>g</groupId><artifactId>p${at}</artifactId><version>1</version></dependency>`)}</dependencies></dependencyManagement><dependencies>${lines(count, (at) => `<dependency><groupId>g</groupId><artifactId>p${at}</artifactId></dependency>`)}</dependencies></project>`,
    },
  },
  'mix-lock': {
    name: 'mix.lock',
    heads: ['%{\n  "a": {:hex, :a, "1", '],
    whole: {
      packages: (count) =>
        `%{\n${lines(count, (at) => `  "p${at}": {:hex, :p${at}, "1.0.0", "aa", [:mix], [{:p${(at + 1) % count}, "~> 1", [hex: :p, repo: "hexpm", optional: false]}], "hexpm", "aa"},`)}\n}\n`,
    },
  },
  'nuget-lock': {
    name: 'packages.lock.json',
    heads: ['{"version":1,"dependencies":{"net8.0":{'],
    whole: {
      packages: (count) =>
        JSON.stringify({
          version: 1,
          dependencies: {
            'net8.0': object(count, (at) => [
              `p${at}`,
              { type: 'Direct', resolved: '1.0.0', dependencies: { [`p${(at + 1) % count}`]: '1.0.0' } },
            ]),
          },
        }),
    },
  },
  'package-resolved': {
    name: 'Package.resolved',
    heads: ['{"version":2,"pins":['],
    whole: {
      pins: (count) =>
        JSON.stringify({
          version: 2,
          pins: times(count, (at) => ({
            identity: `p${at}`,
            kind: 'remoteSourceControl',
            location: `https://example.com/o/p${at}.git`,
            state: { version: '1.0.0', revision: 'a' },
          })),
        }),
    },
  },
  'pdm-lock': {
    name: 'pdm.lock',
    heads: ['# This file is @generated by PDM.\n[metadata]\nlock_version = "4.4"\n'],
    whole: {
      packages: (count) =>
        `[metadata]\ngroups = ["default"]\nlock_version = "4.4"\n\n${lines(count, (at) => `[[package]]\nname = "p${at}"\nversion = "1.0.0"\ngroups = ["default"]\ndependencies = [\n    "p${(at + 1) % count}>=1",\n]\n`)}`,
    },
  },
  'pipfile-lock': {
    name: 'Pipfile.lock',
    heads: ['{"_meta":{"pipfile-spec":6},"default":{'],
    whole: {
      packages: (count) =>
        JSON.stringify({
          _meta: { 'pipfile-spec': 6 },
          default: object(count, (at) => [`p${at}`, { version: '==1.0.0' }]),
          develop: {},
        }),
    },
  },
  'podfile-lock': {
    name: 'Podfile.lock',
    heads: ['PODS:\n'],
    whole: {
      pods: (count) =>
        `PODS:\n${lines(count, (at) => `  - P${at} (1.0.0):\n    - P${(at + 1) % count} (= 1.0.0)`)}\n\nDEPENDENCIES:\n${lines(count, (at) => `  - P${at}`)}\n\nCOCOAPODS: 1.15.2\n`,
    },
  },
  'poetry-lock': {
    name: 'poetry.lock',
    heads: ['# This file is automatically @generated by Poetry 1.8.2\n\n[[package]]\nname = "a"\n'],
    whole: {
      packages: (count) =>
        `# This file is automatically @generated by Poetry 1.8.2\n\n${lines(count, (at) => `[[package]]\nname = "p${at}"\nversion = "1.0.0"\noptional = false\n\n[package.dependencies]\np${(at + 1) % count} = ">=1"\n`)}\n[metadata]\nlock-version = "2.0"\n`,
    },
  },
  'pubspec-lock': {
    name: 'pubspec.lock',
    heads: ['packages:\n'],
    whole: {
      packages: (count) =>
        `packages:\n${lines(count, (at) => `  p${at}:\n    dependency: "direct main"\n    description:\n      name: p${at}\n      url: "https://pub.dev"\n    source: hosted\n    version: "1.0.0"`)}\nsdks:\n  dart: ">=3.0.0"\n`,
    },
  },
  pylock: {
    name: 'pylock.toml',
    heads: ['lock-version = "1.0"\ncreated-by = "a"\n'],
    whole: {
      packages: (count) =>
        `lock-version = "1.0"\ncreated-by = "a"\n\n${lines(count, (at) => `[[packages]]\nname = "p${at}"\nversion = "1.0.0"\ndependencies = [{ name = "p${(at + 1) % count}" }]\n`)}`,
    },
  },
  'uv-lock': {
    name: 'uv.lock',
    heads: ['version = 1\nrequires-python = ">=3.12"\n'],
    whole: {
      packages: (count) =>
        `version = 1\nrequires-python = ">=3.12"\n\n${lines(count, (at) => `[[package]]\nname = "p${at}"\nversion = "1.0.0"\nsource = { registry = "https://pypi.org/simple" }\ndependencies = [\n    { name = "p${(at + 1) % count}" },\n]\n`)}`,
    },
  },
  requirements: {
    name: 'requirements.txt',
    heads: ['a==1\n', '-r ', '-e ', 'a==1\n    # via\n', 'a[', 'a @ ', 'a==1 --hash='],
    whole: {
      requirements: (count) =>
        lines(
          count,
          (at) => `p${at}==1.0.0 \\\n    --hash=sha256:${'a'.repeat(64)}\n    # via\n    #   p${(at + 1) % count}`,
        ),
      'one that many need': (count) => `p==1\n    # via\n${lines(count, (at) => `    #   p${at}`)}\n`,
    },
  },
  'nuget-assets': {
    name: 'project.assets.json',
    heads: ['{"version":3,"targets":{"net8.0":{'],
    whole: {
      packages: (count) =>
        JSON.stringify({
          version: 3,
          targets: {
            'net8.0': object(count, (at) => [
              `p${at}/1.0.0`,
              { type: 'package', dependencies: { [`p${(at + 1) % count}`]: '1.0.0' } },
            ]),
          },
          libraries: {},
          projectFileDependencyGroups: { 'net8.0': times(count, (at) => `p${at} >= 1.0.0`) },
        }),
    },
  },
  'nuget-packages-config': {
    name: 'packages.config',
    heads: ['<packages><package id="a" version="1" />'],
    whole: {
      packages: (count) => `<packages>${lines(count, (at) => `<package id="p${at}" version="1.0.0" />`)}</packages>`,
    },
  },
}
