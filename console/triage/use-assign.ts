import { useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Body } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { say } from '../ui/overlays/toasts.tsx'
import { plural } from '../ui/text/words.ts'
import { type Kind, kinds } from './kinds.ts'

/** Gives findings or issues to a person, or to nobody: by ids, and by filters for what was not loaded. */
export function useAssign(kind: Kind) {
  const client = useQueryClient()
  const params = { deploymentId: useDeployment().id }
  const { ids: idsOf, filter: filterOf, touched } = kinds[kind]
  return async (what: { ids: readonly string[]; filters: readonly unknown[] }, assigneeId: string | null) => {
    const bodies: Record<string, unknown>[] = what.filters.map((filter) => ({ [filterOf]: filter }))
    for (let at = 0; at < what.ids.length; at += 500) bodies.push({ [idsOf]: what.ids.slice(at, at + 500) })
    try {
      let changed = 0
      for (const body of bodies) {
        changed += (await call('assign', { params, body: { ...body, assigneeId } as Body<'assign'> })).changed
      }
      say(
        `${plural(changed, kind)} ${changed === 1 ? 'has' : 'have'} ${assigneeId ? 'another' : 'no'} assignee now.`,
        'no undo',
      )
    } catch (error) {
      say(`Not assigned: ${asProblem(error).message}`)
    }
    await refresh(client, [...touched, 'listDiscussion'])
  }
}
