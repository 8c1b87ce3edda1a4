import type { Command } from 'commander'
import { firewallCommand } from './firewall/firewall.ts'
import { loginCommand, logoutCommand } from './login/login-commands.ts'
import { runProgram } from './program.ts'
import { scanCommand } from './scan/scan.ts'
import { uploadCommand } from './scan/upload.ts'
import { versionsCommand } from './versions.ts'

/** The commands that talk to a server, or to nobody: they need no database and no data folder. */
export function addClientCommands(program: Command, finish: (code: number) => void): void {
  scanCommand(program, finish)
  uploadCommand(program, finish)
  versionsCommand(program, finish)
  firewallCommand(program, finish)
  loginCommand(program)
  logoutCommand(program)
}

/** What runs on laptops and build machines: a package without dependencies, which every server hands out. */
export function runClient(args: string[]): Promise<number> {
  const description = 'Client of Gatehouse: uploads scans, asks the firewall'
  return runProgram({ description, addCommands: addClientCommands, explained: async () => [] }, args)
}
