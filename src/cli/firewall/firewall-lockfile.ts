import type { Command } from 'commander'
import { firewallAddress } from '../../formats/registry-references.ts'
import { print } from '../output.ts'
import { findFiles } from '../scan/find-files.ts'
import { findAddress } from '../scan/upload-command.ts'
import { pastText } from './past-text.ts'
import { pastFirewall } from './registry-references.ts'

export function firewallLockfile(firewall: Command, finish: (code: number) => void): void {
  firewall
    .command('lockfile')
    .description('say which lockfiles point past the firewall')
    .argument('[folder]', 'where to look', '.')
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL, else where you are signed in)')
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nExits 0 when none does, 1 when one does, 2 when nobody can say.')
    .action(async (folder: string, options: { url?: string }, command: Command) => {
      const { url } = findAddress(options, process.env)
      const files = await findFiles(folder)
      const past = pastFirewall(files, firewallAddress(url))
      const none = `None of ${files.length} lockfiles points past the firewall.`
      print(command, { files: files.length, past }, past.length > 0 ? pastText(past) : none)
      finish(past.length > 0 ? 1 : 0)
    })
}
