import type { DependencyService } from '../../capabilities/dependencies/service.ts'
import type { Findings } from '../../capabilities/findings/service.ts'
import type { Exceptions } from '../../capabilities/firewall/exceptions/exceptions.ts'
import type { RefusalRecord } from '../../capabilities/firewall-activity/refusals/refusal-search.ts'
import type { VulnerabilityService } from '../../capabilities/vulnerabilities/service.ts'
import type { McpAdapter } from '../../kernel/contract/adapters/mcp-adapter.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { createConfirmations } from './confirmation.ts'
import { createMcpServer } from './server.ts'
import type { Tool } from './tool.ts'
import { checkPackage, type PackageCheck } from './tools/check-package.ts'
import type { PageOf } from './tools/console-page.ts'
import { findDependency, whoIsAffected } from './tools/dependencies.ts'
import { explainFinding, searchFindings } from './tools/findings.ts'
import { firewallBlocks } from './tools/firewall-blocks.ts'
import { requestException, type VerdictOn } from './tools/request-exception.ts'
import { triageFinding } from './tools/triage-finding.ts'

export type McpParts = {
  packages: PackageCheck
  dependencies: DependencyService
  vulnerabilities: VulnerabilityService
  findings: Findings
  refusals: RefusalRecord
  exceptions: Exceptions
  verdictOn: VerdictOn
  clock: Clock
  cursors: CursorSeal
  pageOf: PageOf
  version: string
}

/** What agents are offered: to read, and, once a person has confirmed it, to decide. */
export function createMcp(parts: McpParts): McpAdapter {
  const confirmationOf = createConfirmations(parts.cursors, parts.clock)
  return createMcpServer({ tools: mcpTools(parts), confirmationOf, version: parts.version })
}

/** In the order in which they are listed. */
function mcpTools(parts: Omit<McpParts, 'cursors' | 'version'>): Tool[] {
  const { findings, pageOf } = parts
  return [
    checkPackage(parts.packages),
    findDependency(parts.dependencies),
    whoIsAffected(parts.vulnerabilities),
    searchFindings(findings),
    explainFinding(findings, pageOf),
    firewallBlocks(parts.refusals),
    triageFinding(findings, pageOf),
    requestException(parts, pageOf),
  ]
}
