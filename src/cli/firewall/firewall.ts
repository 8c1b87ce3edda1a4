import type { Command } from 'commander'
import { firewallCheck } from './firewall-check.ts'
import { firewallEnv } from './firewall-env.ts'
import { firewallLockfile } from './firewall-lockfile.ts'
import { firewallRequest } from './firewall-request.ts'
import { firewallToken } from './firewall-token.ts'

export function firewallCommand(program: Command, finish: (code: number) => void): void {
  const firewall = program.command('firewall').description('ask the malware firewall, and point clients at it')
  firewallCheck(firewall, finish)
  firewallRequest(firewall)
  firewallEnv(firewall)
  firewallToken(firewall)
  firewallLockfile(firewall, finish)
}
