/** The package managers that the malware firewall has lines for. */
export const packageClients = [
  'npm',
  'pnpm',
  'yarn',
  'yarn1',
  'bun',
  'deno',
  'pip',
  'uv',
  'poetry',
  'pdm',
  'pipenv',
  'maven',
  'gradle',
  'cargo',
  'go',
] as const
export type PackageClient = (typeof packageClients)[number]

/** What points a client at the firewall, where it goes, and how comments begin and end there. */
type ClientLines = FileLines & {
  comment: [begin: string, end: string]
  /** Into a second file, where one is not enough. */
  more?: FileLines
}
type FileLines = { file: string; text: string }

const token = '$' + '{GATEHOUSE_TOKEN}'
const hash: ClientLines['comment'] = ['# ', '']

/** What goes into which file. The token stays in the environment: files are copied and committed. */
export function linesFor(client: PackageClient, url: string, deployment: number): ClientLines {
  return lines[client](`${url}/firewall/${deployment}`)
}

const lines: Record<PackageClient, (base: string) => ClientLines> = {
  // Without the last line, npm writes our address into package-lock.json, and nobody else can install from it.
  npm: (base) => ({
    file: '.npmrc, in the project or in your home folder',
    text: `${npmLines(base)}\nomit-lockfile-registry-resolved=true`,
    comment: hash,
  }),
  // As of 10 it reads variables in the file of the person alone.
  pnpm: (base) => ({ file: '.npmrc in your home folder', text: npmLines(base), comment: hash }),
  yarn: (base) => ({ file: '.yarnrc.yml, in the project', text: yarnLines(base), comment: hash }),
  yarn1: (base) => ({
    file: '.npmrc, in the project or in your home folder; yarn.lock then names this server',
    text: `${npmLines(base)}\nalways-auth=true`,
    comment: hash,
  }),
  bun: (base) => ({
    file: '.npmrc, in the project or in your home folder; bun.lock then names this server',
    text: npmLines(base),
    comment: hash,
  }),
  deno: (base) => ({
    file: '.npmrc, in the project; deno.lock then names this server',
    text: npmLines(base),
    comment: hash,
  }),
  pip: (base) => ({ file: 'the environment of pip', text: `export PIP_INDEX_URL="${indexOf(base)}"`, comment: hash }),
  uv: (base) => ({
    file: 'the environment of uv; uv.lock then names this server',
    text: `export UV_DEFAULT_INDEX="${indexOf(base)}"`,
    comment: hash,
  }),
  poetry: (base) => ({
    file: 'a shell in the project; poetry.lock then names this server',
    text: `poetry source add --priority=primary gatehouse ${base}/pypi/simple/
export POETRY_HTTP_BASIC_GATEHOUSE_USERNAME=__token__
export POETRY_HTTP_BASIC_GATEHOUSE_PASSWORD="${token}"`,
    comment: hash,
  }),
  pdm: (base) => ({
    file: 'the environment of pdm',
    text: `export PDM_PYPI_URL=${base}/pypi/simple/
export PDM_PYPI_USERNAME=__token__
export PDM_PYPI_PASSWORD="${token}"`,
    comment: hash,
  }),
  // Not PIP_INDEX_URL: what it stands for, with the token, would be written into the Pipfile.
  pipenv: (base) => ({
    file: 'Pipfile, in place of the source that it has; Pipfile.lock then names this server',
    text: `[[source]]\nname = "gatehouse"\nurl = "${indexOf(base)}"\nverify_ssl = true`,
    comment: hash,
  }),
  maven: (base) => ({ file: '~/.m2/settings.xml', text: mavenSettings(`${base}/maven/`), comment: ['<!-- ', ' -->'] }),
  // What a plugin is fetched from is asked before build.gradle is read, and without the second part it is plugins.gradle.org.
  gradle: (base) => ({
    file: 'build.gradle, in the project',
    text: gradleLines(base),
    comment: ['// ', ''],
    more: {
      file: 'settings.gradle, in the project, before everything else in it',
      text: `pluginManagement {\n${gradleLines(base).replace(/^/gm, '    ')}\n}`,
    },
  }),
  cargo: (base) => ({
    file: '.cargo/config.toml, in the project or in your home folder',
    text: cargoLines(base),
    comment: hash,
  }),
  // One address and nothing behind it: what is refused here must not come from elsewhere.
  go: (base) => ({
    file: base.startsWith('http:')
      ? 'the environment of go, which sends no login over http: give Gatehouse an https address first'
      : 'the environment of go',
    text: `export GOPROXY="${withLogin(`${base}/go`)}"\nexport GONOPROXY=none`,
    comment: hash,
  }),
}

function npmLines(base: string): string {
  const registry = `${base}/npm/`
  return `registry=${registry}\n${registry.replace(/^https?:/, '')}:_authToken=${token}`
}

function yarnLines(base: string): string {
  const plain = base.startsWith('http:') ? `\nunsafeHttpWhitelist: ["${new URL(base).hostname}"]` : ''
  return `npmRegistryServer: "${base}/npm/"
npmAlwaysAuth: true
npmAuthToken: "$\{GATEHOUSE_TOKEN-}"${plain}`
}

function indexOf(base: string): string {
  return withLogin(`${base}/pypi/simple/`)
}

function withLogin(address: string): string {
  const [scheme, rest] = address.split('://')
  return `${scheme}://__token__:${token}@${rest}`
}

/** Cargo.lock then names crates.io as before: the source is replaced. */
function cargoLines(base: string): string {
  return `[source.crates-io]
replace-with = "gatehouse"

[registries.gatehouse]
index = "sparse+${base}/cargo/"
credential-provider = "cargo:token-from-stdout printenv GATEHOUSE_TOKEN"`
}

function gradleLines(base: string): string {
  return `repositories {
    maven {
        url = uri("${base}/maven/")
        credentials { username = "token"; password = System.getenv("GATEHOUSE_TOKEN") }
    }
}`
}

function mavenSettings(url: string): string {
  return `<settings>
  <servers>
    <server><id>gatehouse</id><username>token</username><password>$\{env.GATEHOUSE_TOKEN}</password></server>
  </servers>
  <mirrors>
    <mirror><id>gatehouse</id><mirrorOf>*</mirrorOf><url>${url}</url></mirror>
  </mirrors>
</settings>`
}
