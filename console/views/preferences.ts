import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refresh, useTagged } from '../api/ask.ts'
import { call, callWithTag } from '../api/call.ts'
import type { Answer } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { adoptAppearance, type Kept, markSaved, onAppearanceChange, unsavedAppearance } from '../app/appearance.ts'
import { useDeployment } from '../app/deployment.ts'
import { sayFailure } from '../ui/overlays/toasts.tsx'

type Preferences = Answer<'getPreferences'>['preferences']

/** What the person chose for this deployment, and a way to choose otherwise. */
export function usePreferences() {
  const params = { deploymentId: useDeployment().id }
  const client = useQueryClient()
  const { data } = useTagged('getPreferences')
  /** Only what is named changes: in another window something else may have been chosen meanwhile. */
  const choose = async (change: Partial<Preferences>, onceKept?: () => void) => {
    try {
      for (let attempt = 1; ; attempt += 1) {
        const { data: now, etag } = await callWithTag('getPreferences', { params })
        const body = { ...now.preferences, ...change }
        try {
          await call('replacePreferences', { params, body }, { ifMatch: etag })
          break
        } catch (error) {
          if (asProblem(error).status !== 412 || attempt === 3) throw error
        }
      }
    } catch (error) {
      sayFailure(`Not kept: ${asProblem(error).message}`)
      return
    }
    onceKept?.()
    await refresh(client, ['getPreferences'])
  }
  return { preferences: data?.data.preferences, choose }
}

/** What was chosen in one browser holds in the next. What this one has not told yet is told first. */
export function PreferenceSync(): null {
  const { preferences, choose } = usePreferences()
  const save = (change: Kept) => choose(change, () => markSaved(change))
  useEffect(() => onAppearanceChange((change) => void save(change)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer, not for each function
  useEffect(() => {
    if (!preferences) return
    const unsaved = unsavedAppearance()
    if (unsaved) void save(unsaved)
    else adoptAppearance(preferences)
  }, [preferences])
  return null
}
