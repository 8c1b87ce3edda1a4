import type { ReactNode } from 'react'
import type { Answer, Body } from '../api/contracts.ts'
import type { Question } from './question.ts'

export type Counts = Answer<'countDependencies'>

/** What each view of the answer is given. */
export type ListProps = {
  question: Question
  filter: NonNullable<Body<'listDependencies'>['dependencyFilter']>
  /** Of this question; nothing while it is still counted. */
  counts: Counts | undefined
  empty: ReactNode
}
