import { randomBytes } from 'node:crypto'
import type { SubjectKey } from './ticket-store.ts'

/** Every ticket of ours carries it at the tracker: their changes are noticed by it. */
export const commonLabel = 'gatehouse'

/** What one ticket alone carries, and no other Gatehouse would make up. */
export function newLabel(): string {
  return `${commonLabel}-${randomBytes(15).toString('hex')}`
}

export function subjectKeys({ findingIds = [], issueIds = [] }: { findingIds?: string[]; issueIds?: string[] }) {
  const keys = (kind: SubjectKey['kind'], ids: string[]) =>
    [...new Set(ids.map(Number))].map((id): SubjectKey => ({ kind, id }))
  return [...keys('finding', findingIds), ...keys('issue', issueIds)]
}
