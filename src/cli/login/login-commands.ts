import type { Command } from 'commander'
import { wholeNumber } from '../whole-number.ts'
import type { LoginOptions } from './login.ts'

export function loginCommand(program: Command): void {
  program
    .command('login')
    .description('sign in by a code that you type in the browser, and keep the token on this machine')
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL)')
    .option('--deployment <id>', 'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)', wholeNumber)
    .option('--scope <permission...>', 'what the token may do (default: what the commands of this client need)')
    .option('--days <number>', 'how long it lives; you can choose another number in the browser', wholeNumber, 30)
    .option('--json', 'print JSON, for programs')
    .action(async (options: LoginOptions, command: Command) => {
      const { signIn } = await import('./login.ts')
      await signIn(options, command)
    })
}

export function logoutCommand(program: Command): void {
  program
    .command('logout')
    .description('revoke the token that login got, and remove it from this machine')
    .option('--json', 'print JSON, for programs')
    .action(async (_, command: Command) => {
      const { signOut } = await import('./login.ts')
      await signOut(command)
    })
}
