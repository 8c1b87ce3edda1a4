import { type Finding, getFinding, listTeams, type Problem, type Severity, searchFindings, type Team } from './hey'

export async function worst(deploymentId: number): Promise<Finding[]> {
  const severities: Severity[] = ['SEVERITY_CRITICAL', 'SEVERITY_HIGH']
  const found = await searchFindings({ path: { deploymentId }, body: { filter: { severities }, pageSize: 10 } })
  const findings: Finding[] = []
  for (const each of found.data?.findings ?? []) {
    const one = await getFinding({ path: { deploymentId: each.deploymentId, findingId: each.id } })
    if (one.data) findings.push(one.data.data)
    const problem: Problem | undefined = one.error
    console.log(problem?.code, problem?.errors?.[0]?.pointer)
  }
  return findings
}

export async function everyTeam(deploymentId: number): Promise<Team[]> {
  const teams: Team[] = []
  for (let cursor = '', more = true; more; ) {
    const { data } = await listTeams({ path: { deploymentId }, query: { cursor } })
    teams.push(...(data?.teams ?? []))
    cursor = data?.cursor ?? ''
    more = data?.hasMore ?? false
  }
  return teams
}
