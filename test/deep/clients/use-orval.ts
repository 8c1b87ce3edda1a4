import { type Finding, getFinding, listTeams, Severity, searchFindings, type Team } from './orval/client'

export async function worst(deploymentId: number): Promise<Finding[]> {
  const found = await searchFindings(deploymentId, { filter: { severities: [Severity.SEVERITY_HIGH] }, pageSize: 10 })
  if (found.status !== 200) throw new Error(found.data.code)
  const findings: Finding[] = []
  for (const each of found.data.findings) {
    const one = await getFinding(each.deploymentId, each.id)
    if (one.status === 200) findings.push(one.data.data)
  }
  return findings
}

export async function everyTeam(deploymentId: number): Promise<Team[]> {
  const teams: Team[] = []
  for (let cursor = '', more = true; more; ) {
    const page = await listTeams(deploymentId, { cursor })
    if (page.status !== 200) throw new Error(page.data.detail)
    teams.push(...page.data.teams)
    cursor = page.data.cursor
    more = page.data.hasMore
  }
  return teams
}
