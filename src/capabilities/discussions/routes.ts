import type { Api } from '../../kernel/contract/api.ts'
import { assign, createComment, deleteComment, editComment, listDiscussion } from './contract.ts'
import type { Discussions } from './service.ts'

export function discussionRoutes(api: Api, discussions: Discussions): void {
  api.serve(listDiscussion, ({ actor, query }) => discussions.list(actor, query))
  api.serve(createComment, async ({ actor, body }) => ({ entry: await discussions.comment(actor, body) }))
  api.serve(editComment, async ({ actor, params, body }) => ({
    entry: await discussions.edit(actor, params.commentId, body.text),
  }))
  api.serve(deleteComment, async ({ actor, params }) => ({ entry: await discussions.remove(actor, params.commentId) }))
  api.serve(assign, ({ actor, body }) => discussions.assign(actor, body))
}
