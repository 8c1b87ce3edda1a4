import sql from 'sql-template-tag'
import {
  type CountedState,
  cellsInState,
  cellsOfStage,
  countedStateNames,
  type Product,
  productNames,
  type Stage,
  stageNames,
} from './cell.ts'
import type { Figures } from './count-store.ts'

const standingCounters: Record<CountedState, string> = {
  silenced: 'silenced',
  open: 'open',
  fixed: 'fixed',
  ignored: 'ignored',
  provisionallyIgnored: 'provisional',
  ended: 'ended',
}

const stageCounters: Record<Stage, string> = {
  allFindings: 'standing',
  possiblyExploitable: 'exploitable',
  internetExposed: 'exposed',
  priorityFindings: 'priority',
}

export const guardrailsFigures: Figures<CountedState> = {
  list: countedStateNames.map((name) => ({ name, counter: standingCounters[name], cells: cellsInState([name]) })),
  counted: sql`(f.cell & 7) > 0`,
  kept: sql`(c.silenced | c.open | c.fixed | c.ignored | c.provisional | c.ended) <> 0`,
}

export const funnelFigures: Figures<`${Product} ${Stage}`> = {
  list: productNames.flatMap((product) =>
    stageNames.map((stage) => ({
      name: `${product} ${stage}` as const,
      counter: `${product}_${stageCounters[stage]}`,
      cells: cellsOfStage(stage, product),
    })),
  ),
  counted: sql`f.cell >= 32`,
  kept: sql`(c.code_standing | c.code_exploitable | c.code_exposed | c.code_priority | c.sca_standing | c.sca_exploitable
    | c.sca_exposed | c.sca_priority | c.secrets_standing | c.secrets_exploitable | c.secrets_exposed
    | c.secrets_priority) <> 0`,
}
