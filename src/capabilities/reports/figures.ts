import {
  cellsOfStage,
  cellsStanding,
  type Product,
  productNames,
  type Stage,
  type Standing,
  stageNames,
  standingNames,
} from './cell.ts'
import type { Figure } from './count-store.ts'

const standingCounters: Record<Standing, string> = {
  silenced: 'silenced',
  open: 'open',
  fixed: 'fixed',
  ignored: 'ignored',
  provisionallyIgnored: 'provisional',
}

const stageCounters: Record<Stage, string> = {
  allFindings: 'standing',
  possiblyExploitable: 'exploitable',
  internetExposed: 'exposed',
  priorityFindings: 'priority',
}

export const guardrailsFigures: Figure<Standing>[] = standingNames.map((name) => ({
  name,
  counter: standingCounters[name],
  cells: cellsStanding([name]),
}))

export const funnelFigures: Figure<`${Product} ${Stage}`>[] = productNames.flatMap((product) =>
  stageNames.map((stage) => ({
    name: `${product} ${stage}` as const,
    counter: `${product}_${stageCounters[stage]}`,
    cells: cellsOfStage(stage, product),
  })),
)
