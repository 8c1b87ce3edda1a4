import { Argument, type Command, Option } from 'commander'
import { packageClients } from '../../domain/package-clients.ts'
import { registryEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { wholeNumber } from '../whole-number.ts'

/** Each command loads what it runs with when it runs: help and a wrong word cost nothing of it. */
export function firewallCommand(program: Command, finish: (code: number) => void): void {
  const firewall = program.command('firewall').description('ask the malware firewall, and point clients at it')
  firewall
    .command('check')
    .description('ask for the verdict on a version of a package')
    .argument(...packageArgument)
    .addOption(ecosystemOption())
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL)')
    .option(...deploymentOption)
    .option('--token-file <file>', 'file with the API token (default: the token in GATEHOUSE_TOKEN)')
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nExits 0 when it would be let through, 1 when it would be refused, 2 when there is no answer,\n3 when it would be let through and its registry does not have it or cannot be asked.',
    )
    .action(async (text, options, command) => {
      const { checkPackage } = await import('./firewall-check.ts')
      finish(await checkPackage(text, options, command))
    })
  firewall
    .command('request')
    .description('ask for an exception for a version that the firewall refuses')
    .argument(...packageArgument)
    .requiredOption('--reason <text>', 'what it is needed for')
    .addOption(ecosystemOption())
    .option(...urlOption)
    .option(...deploymentOption)
    .option('--token-file <file>', 'file with the API token (default: your sign-in, else GATEHOUSE_TOKEN)')
    .option(...jsonOption)
    .action(async (text, options, command) => {
      const { requestException } = await import('./firewall-request.ts')
      await requestException(text, options, command)
    })
  firewall
    .command('env')
    .description('print the lines that point a package manager here')
    .addArgument(new Argument('<client>', 'which package manager').choices(packageClients))
    .option(...urlOption)
    .option(...deploymentOption)
    .option(...jsonOption)
    .addHelpText('after', '\nThe lines take the API token from the environment variable GATEHOUSE_TOKEN.')
    .action(async (client, options, command) => {
      const { printLines } = await import('./firewall-env.ts')
      printLines(client, options, command)
    })
  firewall
    .command('token')
    .description('print a new API token that fetches packages and does nothing else')
    .option('--days <number>', 'how long it lives', wholeNumber, 1)
    .option(...urlOption)
    .option(...deploymentOption)
    .option(
      '--token-file <file>',
      'file with the API token to make it with (default: your sign-in, else GATEHOUSE_TOKEN)',
    )
    .option(...jsonOption)
    .addHelpText('after', '\nFor example: export GATEHOUSE_TOKEN="$(gatehouse firewall token)"')
    .action(async (options, command) => {
      const { printToken } = await import('./firewall-token.ts')
      await printToken(options, command)
    })
  firewall
    .command('lockfile')
    .description('say which lockfiles point past the firewall')
    .argument('[folder]', 'where to look', '.')
    .option(...urlOption)
    .option(...jsonOption)
    .addHelpText('after', '\nExits 0 when none does, 1 when one does, 2 when nobody can say.')
    .action(async (folder, options, command) => {
      const { checkLockfiles } = await import('./firewall-lockfile.ts')
      finish(await checkLockfiles(folder, options, command))
    })
}

const packageArgument = ['<package@version>', 'for example chalk@5.6.1, group:artifact@1.0, or a package URL'] as const
const urlOption = [
  '--url <address>',
  'where Gatehouse is (default: GATEHOUSE_URL, else where you are signed in)',
] as const
const deploymentOption = [
  '--deployment <id>',
  'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)',
  wholeNumber,
] as const
const jsonOption = ['--json', 'print JSON, for programs'] as const

function ecosystemOption(): Option {
  return new Option('--ecosystem <name>', 'whose package it is').choices(registryEcosystemIds).default('npm')
}
