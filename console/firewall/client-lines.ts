import type { PackageClient } from '../../src/domain/package-clients.ts'

/** What points a client at the firewall, where it goes, and how comments begin and end there. */
type ClientLines = { file: string; text: string; comment: [begin: string, end: string] }

export const clientLabels: Record<PackageClient, { label: string; ecosystem: string; attempt: string }> = {
  npm: { label: 'npm', ecosystem: 'npm', attempt: 'npm view left-pad version' },
  pnpm: { label: 'pnpm', ecosystem: 'npm', attempt: 'pnpm view left-pad version' },
  yarn: { label: 'Yarn 2 and later', ecosystem: 'npm', attempt: 'yarn npm info left-pad --fields version' },
  yarn1: { label: 'Yarn 1', ecosystem: 'npm', attempt: 'yarn info left-pad version' },
  bun: { label: 'bun', ecosystem: 'npm', attempt: 'bun add left-pad' },
  pip: { label: 'pip', ecosystem: 'pypi', attempt: 'pip download --no-deps six' },
  uv: { label: 'uv', ecosystem: 'pypi', attempt: 'uv pip install six' },
  poetry: { label: 'Poetry', ecosystem: 'pypi', attempt: 'poetry add six' },
  maven: { label: 'Maven', ecosystem: 'maven', attempt: 'mvn dependency:get -Dartifact=junit:junit:4.13.2' },
  gradle: { label: 'Gradle', ecosystem: 'maven', attempt: 'gradle dependencies' },
}

const token = '$' + '{GATEHOUSE_TOKEN}'
const hash: ClientLines['comment'] = ['# ', '']

/** As `gatehouse firewall env` has them; a test compares the two. The token stays in the environment: files are copied and committed. */
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
  maven: (base) => ({ file: '~/.m2/settings.xml', text: mavenSettings(`${base}/maven/`), comment: ['<!-- ', ' -->'] }),
  gradle: (base) => ({ file: 'build.gradle, in the project', text: gradleLines(base), comment: ['// ', ''] }),
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
  const [scheme, rest] = `${base}/pypi/simple/`.split('://')
  return `${scheme}://__token__:${token}@${rest}`
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
