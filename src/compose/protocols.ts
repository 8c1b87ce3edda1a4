import packageJson from '../../package.json' with { type: 'json' }
import { createPackageService } from '../capabilities/dependencies/packages/packages.ts'
import { createDependencyService } from '../capabilities/dependencies/service.ts'
import type { DeploymentService } from '../capabilities/deployments/service.ts'
import type { Findings } from '../capabilities/findings/service.ts'
import { createRefusalRecord } from '../capabilities/firewall-activity/refusals/refusal-search.ts'
import type { RepositoryService } from '../capabilities/repositories/service.ts'
import type { ScanService } from '../capabilities/scans/service.ts'
import type { Capability } from '../domain/capability.ts'
import type { EcosystemId } from '../ecosystems/ecosystem.ts'
import type { Actor } from '../kernel/access/actor.ts'
import { Fault } from '../kernel/contract/fault.ts'
import type { Database } from '../kernel/database/database.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { defectDojoRoutes } from '../protocols/defectdojo/routes.ts'
import { dependencyTrackRoutes } from '../protocols/dependency-track/routes.ts'
import { gitHubRoutes } from '../protocols/github/routes.ts'
import { createMcp } from '../protocols/mcp/mcp.ts'
import { osvBulkFiles } from '../protocols/osv/bulk-files.ts'
import { createOsv } from '../protocols/osv/osv.ts'
import { osvRoutes } from '../protocols/osv/routes.ts'
import { createSafeChain } from '../protocols/safe-chain/safe-chain.ts'
import { createSemgrep } from '../protocols/semgrep/semgrep.ts'
import type { Settings } from '../settings/settings.ts'
import type { CursorSeal } from '../vault/cursor-seal.ts'
import type { composeAdvisories } from './advisories.ts'
import type { composePackages } from './packages.ts'

type ProtocolParts = {
  db: Database
  clock: Clock
  cursors: CursorSeal
  settings: Settings
  deployments: DeploymentService
  findings: Findings
  scans: ScanService
  repositories: RepositoryService
  advisories: ReturnType<typeof composeAdvisories>
  packages: Pick<ReturnType<typeof composePackages>, 'verdictOn' | 'publicationOf' | 'exceptions'>
}

/** The protocols of others, each a thin adapter over what the capabilities offer anyway. */
export function composeProtocols({ db, clock, cursors, settings, deployments, ...parts }: ProtocolParts) {
  const { firewall, vulnerabilities } = parts.advisories
  const { verdictOn, publicationOf } = parts.packages
  const { findings, scans, repositories } = parts
  const { publicUrl } = settings
  const { version } = packageJson
  const dependencies = createDependencyService(db)
  const inventory = createPackageService(db, cursors, firewall)

  async function usageOf(actor: Actor, ecosystem: EcosystemId, name: string) {
    try {
      const { licences, repositoryCount } = await inventory.get(actor, ecosystem, name)
      return { licences, repositories: repositoryCount }
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') return undefined
      throw error
    }
  }

  const mcp = createMcp({
    packages: {
      db,
      clock,
      verdict: ({ deploymentId, personId }, ecosystem, name, version, details) =>
        firewall.verdict(deploymentId, ecosystem, name, version, { ...details, personId }),
      prepare: firewall.prepare,
      publicationOf,
      usageOf,
    },
    dependencies,
    vulnerabilities: vulnerabilities.service,
    findings,
    refusals: createRefusalRecord({ db, cursors }),
    exceptions: parts.packages.exceptions,
    verdictOn,
    clock,
    cursors,
    pageOf: async (actor, path) => `${publicUrl}/d/${(await deployments.get(actor)).slug}/${path}`,
    version,
  })

  const osv = createOsv({ db, advisoriesNaming: firewall.advisoriesNaming })
  const safeChain = { db, clock, firewall: firewall.service, verdictStamp: firewall.verdictStamp }

  const dependencyTrack = { db, clock, scans, repositories, findings, dependencies, malware: firewall.malware, version }
  const list: Capability[] = [
    { serve: (api) => defectDojoRoutes(api, { db, scans, clock }) },
    { serve: (api) => gitHubRoutes(api, { scans, publicUrl }) },
    createSemgrep({ db, clock, scans, publicUrl, memoryBytes: settings.memoryBytes }),
    { serve: (api) => dependencyTrackRoutes(api, dependencyTrack) },
    { serve: (api) => osvRoutes(api, osv, settings.openOsv) },
  ]

  return {
    list,
    mcp,
    files: [
      ...osvBulkFiles({ db, isOpen: settings.openOsv }),
      ...createSafeChain({ ...safeChain, deployments: settings.safeChainDeployments }),
    ],
  }
}
