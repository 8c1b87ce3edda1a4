import createClient from 'openapi-fetch'
import type { components, operations, paths } from './types'

type Finding = components['schemas']['Finding']
const client = createClient<paths>({ baseUrl: 'http://localhost' })

export async function worst(deploymentId: number): Promise<Finding[]> {
  const body: operations['searchFindings']['requestBody']['content']['application/json'] = {
    filter: { severities: ['SEVERITY_CRITICAL'] },
  }
  const found = await client.POST('/api/findings/{deploymentId}/findings/search', {
    params: { path: { deploymentId } },
    body,
  })
  const findings: Finding[] = []
  for (const each of found.data?.findings ?? []) {
    const one = await client.GET('/api/findings/{deploymentId}/findings/{findingId}', {
      params: { path: { deploymentId: each.deploymentId, findingId: each.id } },
    })
    if (one.data) findings.push(one.data.data)
    const code: components['schemas']['ProblemCode'] | undefined = one.error?.code
    console.log(code)
  }
  return findings
}
