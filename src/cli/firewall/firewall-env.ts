import { Argument, type Command } from 'commander'
import { linesFor, type PackageClient, packageClients } from '../../domain/package-clients.ts'
import { trimEnd } from '../../kernel/text/trim.ts'
import { readSettings } from '../../settings.ts'
import { readLogin } from '../login/stored-login.ts'
import { print } from '../output.ts'
import { wholeNumber } from '../whole-number.ts'

type Options = { url?: string; deployment?: number }

export function firewallEnv(firewall: Command): void {
  firewall
    .command('env')
    .description('print the lines that point a package manager here')
    .addArgument(new Argument('<client>', 'which package manager').choices(packageClients))
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL, else where you are signed in)')
    .option('--deployment <id>', 'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)', wholeNumber)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nThe lines take the API token from the environment variable GATEHOUSE_TOKEN.')
    .action((client: PackageClient, options: Options, command: Command) => {
      const login = options.url || process.env.GATEHOUSE_URL ? undefined : readLogin(process.env)
      const url = trimEnd(options.url ?? login?.url ?? readSettings(process.env).publicUrl, '/')
      const deployment = options.deployment ?? Number(process.env.GATEHOUSE_DEPLOYMENT || login?.deployment || 1)
      const { file, text, comment } = linesFor(client, url, deployment)
      // Where the lines go, as a comment in their own language: what is printed can be written into a file as it is.
      print(command, { client, file, text }, `${comment[0]}${file}${comment[1]}\n${text}`)
    })
}
