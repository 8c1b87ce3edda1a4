/** 'walk': through everybody's issues, passing over those that are not wanted. 'gather': scope by scope. */
export type SearchPlan = 'walk' | 'gather'

export type PlanExtent = {
  /** Cells and issues that are wanted, scope by scope. */
  cells: number
  issues: number
  /** Cells and issues of all scopes together. */
  allCells: number
  allIssues: number
}

/** Looking up the beginning of a cell costs about as much as reading this many of its rows. */
const rowsPerLookup = 5

/**
 * Who sees nearly everything is served faster by walking, who sees little by gathering. Both prices are estimated in
 * rows, as if the wanted issues were spread evenly among the others.
 */
export function choosePlan({ cells, issues, allCells, allIssues }: PlanExtent, limit: number): SearchPlan {
  const gathering = cells * rowsPerLookup + Math.min(issues, cells * limit)
  const passedOver = issues === 0 ? allIssues : (limit * allIssues) / issues
  const walking = allCells * rowsPerLookup + Math.min(allIssues, allCells * passedOver)
  return gathering <= walking ? 'gather' : 'walk'
}
