import type { Api } from '../../kernel/contract/api.ts'
import { pageRequest } from '../../kernel/contract/pagination.ts'
import {
  completeDevopsApp,
  createDevopsApp,
  deleteDevopsApp,
  getDevopsApp,
  listDevopsApps,
  receiveDevopsEvent,
  rotateDevopsAppCertificate,
} from './contract.ts'
import type { ScmAppService } from './service.ts'

export function scmAppRoutes(api: Api, apps: ScmAppService): void {
  api.serve(createDevopsApp, ({ actor, body }) => apps.create(actor, body))
  api.serve(completeDevopsApp, async ({ actor, body }) => ({ app: await apps.complete(actor, Number(body.scmAppId)) }))
  api.serve(listDevopsApps, ({ actor, query }) => apps.list(actor, pageRequest(query)))
  api.serve(getDevopsApp, async ({ actor, params }) => ({ app: await apps.get(actor, params.scmAppId) }))
  api.serve(rotateDevopsAppCertificate, ({ actor, params }) => apps.rotate(actor, params.scmAppId))
  api.serve(deleteDevopsApp, ({ actor, params }) => apps.remove(actor, params.scmAppId))
  api.serve(receiveDevopsEvent, async ({ params, authorization, requestId, body }) => {
    await apps.receiveEvent(params.scmAppId, authorization, requestId, body)
    return { received: true }
  })
}
