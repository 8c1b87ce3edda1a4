import { Argument, type Command } from 'commander'
import { trimEnd } from '../../kernel/text/trim.ts'
import { readSettings } from '../../settings.ts'
import { print } from '../output.ts'
import { wholeNumber } from '../whole-number.ts'

const clients = ['npm', 'pip', 'maven'] as const
export type PackageClient = (typeof clients)[number]

type Options = { url?: string; deployment?: number }

export function firewallEnv(firewall: Command): void {
  firewall
    .command('env')
    .description('print the lines that point a package manager here')
    .addArgument(new Argument('<client>', 'which package manager').choices(clients))
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL)')
    .option('--deployment <id>', 'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)', wholeNumber)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nThe lines take the API token from the environment variable GATEHOUSE_TOKEN.')
    .action((client: PackageClient, options: Options, command: Command) => {
      const url = trimEnd(options.url ?? readSettings(process.env).publicUrl, '/')
      const deployment = options.deployment ?? Number(process.env.GATEHOUSE_DEPLOYMENT || 1)
      const lines = linesFor(client, url, deployment)
      print(command, { client, ...lines }, `${noteOf(client, lines.file)}\n${lines.text}`)
    })
}

/** Where the lines go, as a comment in their own language: what is printed can be written into a file as it is. */
function noteOf(client: PackageClient, file: string): string {
  return client === 'maven' ? `<!-- ${file} -->` : `# ${file}`
}

/** What goes into which file. The token stays in the environment: files are copied and committed. */
export function linesFor(client: PackageClient, url: string, deployment: number): { file: string; text: string } {
  const base = `${url}/firewall/${deployment}`
  if (client === 'npm') {
    const registry = `${base}/npm/`
    const token = `${registry.replace(/^https?:/, '')}:_authToken=\${GATEHOUSE_TOKEN}`
    return { file: '.npmrc, in the project or in your home folder', text: `registry=${registry}\n${token}` }
  }
  if (client === 'pip') {
    const [scheme, rest] = `${base}/pypi/simple/`.split('://')
    const text = `export PIP_INDEX_URL="${scheme}://__token__:\${GATEHOUSE_TOKEN}@${rest}"`
    return { file: 'the environment of pip; for uv, UV_INDEX_URL in its place', text }
  }
  return { file: '~/.m2/settings.xml', text: mavenSettings(`${base}/maven/`) }
}

function mavenSettings(url: string): string {
  return `<settings>
  <servers>
    <server><id>gatehouse</id><username>token</username><password>\${env.GATEHOUSE_TOKEN}</password></server>
  </servers>
  <mirrors>
    <mirror><id>gatehouse</id><mirrorOf>*</mirrorOf><url>${url}</url></mirror>
  </mirrors>
</settings>`
}
