import { useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Body } from '../api/contracts.ts'
import { useDeployment } from '../app/deployment.ts'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { plural } from '../ui/text/words.ts'
import { inParts, partsOf, sayingSo } from './in-parts.ts'
import { type Kind, kinds } from './kinds.ts'

/** The server takes no more of them in one request. */
const mostIds = 500

/** Gives findings or issues to a person, or to nobody: by ids, and by filters for what was not loaded. */
export function useAssign(kind: Kind) {
  const client = useQueryClient()
  const params = { deploymentId: useDeployment().id }
  const { ids: idsOf, filter: filterOf, touched } = kinds[kind]
  return async (what: { ids: readonly string[]; filters: readonly unknown[] }, assigneeId: string | null) => {
    const bodies: Record<string, unknown>[] = what.filters.map((filter) => ({ [filterOf]: filter }))
    for (const part of partsOf(what.ids, mostIds)) bodies.push({ [idsOf]: part })
    let changed = 0
    const { done, refused } = await inParts(bodies, async (body) => {
      changed += (await call('assign', { params, body: { ...body, assigneeId } as Body<'assign'> })).changed
    })
    const words = `${plural(changed, kind)} ${changed === 1 ? 'has' : 'have'} ${assigneeId ? 'another' : 'no'} assignee now.`
    if (refused && done === 0) sayFailure(`Not assigned: ${refused.message}`)
    else say(sayingSo(words, refused), 'no undo')
    await refresh(client, [...touched, 'listDiscussion'])
  }
}
