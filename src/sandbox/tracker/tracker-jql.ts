export type SearchedIssue = {
  projectId: string
  projectKey: string
  typeId: string
  labels: string[]
  updatedAt: number
}

type Condition = (issue: SearchedIssue, now: number) => boolean

const minuteMs = 60_000

/** The little of JQL that Gatehouse writes: conditions joined by AND. Undefined for everything else. */
export function readJql(jql: string): Condition | undefined {
  const [where = ''] = jql.split(/\s+order\s+by\s+/i)
  const conditions = where.split(/\s+and\s+/i).map(readCondition)
  if (conditions.some((condition) => !condition)) return undefined
  return (issue, now) => conditions.every((condition) => condition!(issue, now))
}

function readCondition(text: string): Condition | undefined {
  const [, field = '', operator, quoted, bare] = /^\s*(\w+)\s*(=|>=)\s*(?:"([^"]*)"|([\w-]+))\s*$/.exec(text) ?? []
  const value = quoted ?? bare ?? ''
  if (operator === '=' && field === 'project')
    return ({ projectId, projectKey }) => [projectId, projectKey].includes(value)
  if (operator === '=' && field === 'issuetype') return ({ typeId }) => typeId === value
  if (operator === '=' && field === 'labels') return ({ labels }) => labels.includes(value)
  const minutes = /^-(\d+)m$/.exec(value)?.[1]
  if (operator === '>=' && field === 'updated' && minutes) {
    return ({ updatedAt }, now) => updatedAt >= now - Number(minutes) * minuteMs
  }
  return undefined
}
