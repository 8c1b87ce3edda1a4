import type { Command } from 'commander'
import { firewallAddress } from '../../formats/registry-references/registry-references.ts'
import { print } from '../output.ts'
import { findFiles } from '../scan/files/find-files.ts'
import { findAddress } from '../scan/upload-command.ts'
import { pastText } from './past-text.ts'
import { pastFirewall } from './registry-references.ts'

/** Answers with the exit code. */
export async function checkLockfiles(folder: string, options: { url?: string }, command: Command): Promise<number> {
  const { url } = findAddress(options, process.env)
  const files = await findFiles(folder)
  const past = pastFirewall(files, firewallAddress(url))
  const none = `None of ${files.length} lockfiles points past the firewall.`
  print(command, { files: files.length, past }, past.length > 0 ? pastText(past) : none)
  return past.length > 0 ? 1 : 0
}
