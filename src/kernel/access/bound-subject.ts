/** What the credentials of a CI job speak for, by the claims that its CI system signed: one repository at one ref. */
export type BoundSubject = {
  repository: string
  /** A branch by its name, a tag as `refs/tags/…`. */
  ref: string
  /** Empty where the claims do not say. */
  commit: string
  /** 0 for a branch or tag; null where the claims do not say. */
  pullRequest: number | null
  /** Of a pull request; empty where the claims do not say. */
  baseRef: string
}
