/** A counter, and what it should be. */
export type Miscount = {
  repository_id: number
  rule_id: number
  category: number
  grain: string
  starts_at: Date | null
  kept: number[]
  counted: number[]
}
