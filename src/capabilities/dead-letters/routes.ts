import type { Api } from '../../kernel/contract/api.ts'
import { pageRequest } from '../../kernel/contract/pagination.ts'
import { deleteDeadLetter, listDeadLetters, replayDeadLetter, replayDeadLetters } from './contract.ts'
import type { DeadLetterService } from './service.ts'

export function deadLetterRoutes(api: Api, letters: DeadLetterService): void {
  api.serve(listDeadLetters, ({ actor, query }) => letters.list(actor, query, pageRequest(query)))
  api.serve(replayDeadLetter, async ({ actor, params }) => ({
    deadLetter: await letters.replay(actor, params.deadLetterId),
  }))
  api.serve(replayDeadLetters, async ({ actor, body }) => ({ replayed: await letters.replayAll(actor, body.kind) }))
  api.serve(deleteDeadLetter, async ({ actor, params }) => ({
    deadLetter: await letters.remove(actor, params.deadLetterId),
  }))
}
