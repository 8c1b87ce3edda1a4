import type { Api } from '../../kernel/contract/api.ts'
import { pageRequest } from '../../kernel/contract/pagination.ts'
import {
  createCloudsecCredential,
  deleteCloudsecCredential,
  getCloudsecCredential,
  listCloudsecCredentials,
  updateCloudsecCredential,
  validateCloudsecCredential,
} from './contract.ts'
import type { CloudsecService } from './service.ts'

export function cloudsecRoutes(api: Api, credentials: CloudsecService): void {
  api.serve(getCloudsecCredential, async ({ actor, params }) => ({
    cloudsecCredential: await credentials.get(actor, params.id),
  }))
  api.serve(listCloudsecCredentials, ({ actor, query }) => credentials.list(actor, pageRequest(query)))
  api.serve(createCloudsecCredential, async ({ actor, body }) => ({
    cloudsecCredential: await credentials.create(actor, body),
  }))
  api.serve(updateCloudsecCredential, async ({ actor, params, body }) => ({
    cloudsecCredential: await credentials.update(actor, params.id, body),
  }))
  api.serve(deleteCloudsecCredential, async ({ actor, params }) => ({
    cloudsecCredential: await credentials.remove(actor, params.id),
  }))
  api.serve(validateCloudsecCredential, ({ actor, params }) => credentials.validate(actor, params.id))
}
