import type { Api } from '../../kernel/contract/api.ts'
import { createDeployment, getDeployment, listDeployments, renameDeployment } from './contract.ts'
import type { DeploymentService } from './service.ts'

export function deploymentRoutes(api: Api, deployments: DeploymentService): void {
  api.serve(listDeployments, ({ caller }) => deployments.list(caller))
  api.serve(createDeployment, async ({ caller, requestId, body }) => ({
    deployment: await deployments.create(caller, requestId, body),
  }))
  api.serve(getDeployment, async ({ actor }) => ({ deployment: await deployments.get(actor) }))
  api.serve(renameDeployment, async ({ actor, body }) => ({ deployment: await deployments.update(actor, body) }))
}
