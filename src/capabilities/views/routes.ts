import type { Api } from '../../kernel/contract/api.ts'
import {
  createView,
  deleteView,
  getPreferences,
  getView,
  listViews,
  replacePreferences,
  replaceView,
} from './contract.ts'
import type { Views } from './service.ts'

export function viewRoutes(api: Api, views: Views): void {
  api.serve(listViews, async ({ actor, query }) => ({ views: await views.list(actor, query.page) }))
  api.serve(getView, async ({ actor, params }) => ({ view: await views.get(actor, params.viewId) }))
  api.serve(createView, async ({ actor, body }) => ({ view: await views.create(actor, body) }))
  api.serve(replaceView, async ({ actor, params, body }) => ({ view: await views.replace(actor, params.viewId, body) }))
  api.serve(deleteView, async ({ actor, params }) => ({ view: await views.remove(actor, params.viewId) }))
  api.serve(getPreferences, async ({ actor }) => ({ preferences: await views.preferences(actor) }))
  api.serve(replacePreferences, async ({ actor, body }) => ({
    preferences: await views.replacePreferences(actor, body),
  }))
}
