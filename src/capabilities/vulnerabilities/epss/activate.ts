import type { Activation, NewState } from '../../../feeds/activate.ts'
import { activateList } from '../../../feeds/activate-list.ts'
import { feedStatusStore } from '../../../feeds/feed-status-store.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import * as store from './epss-store.ts'
import { type EpssScore, readScoreFile } from './score-list.ts'

export const feedStatus = feedStatusStore('epss')

export async function activate(tx: WorkerQueryable, state: NewState): Promise<Activation> {
  return activateList(tx, scores, state, readScoreFile(state.path))
}

const scores = {
  book: feedStatus,
  known: store.scoresOf,
  isSame: (one: EpssScore, other: EpssScore) =>
    one.probability === other.probability && one.percentile === other.percentile,
  upsert: store.upsert,
  remove: store.remove,
}
