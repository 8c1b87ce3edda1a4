import type { TestGatehouse } from './gatehouse.ts'

export type BillItem = {
  ecosystem?: string
  name: string
  version?: string
  licence?: string
  direct?: boolean
  dependsOn?: string[]
}

/** A CycloneDX document: what a repository has, of any ecosystem, with licences and a graph where items have one. */
export function bill(items: readonly BillItem[]): string {
  const ref = ({ name, version = '' }: BillItem) => `${name}@${version}`
  const components = items.map((item) => ({
    type: 'library',
    'bom-ref': ref(item),
    name: item.name,
    ...(item.version && { version: item.version }),
    ...(item.licence && { licenses: [licenceOf(item.licence)] }),
    purl: purlOf(item),
  }))
  const dependencies = items
    .filter((item) => item.dependsOn)
    .map((item) => ({ ref: ref(item), dependsOn: item.dependsOn }))
  const direct = items.filter((item) => item.direct).map(ref)
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'application', name: 'root', 'bom-ref': 'root' } },
    components,
    ...(direct.length > 0 && { dependencies: [{ ref: 'root', dependsOn: direct }, ...dependencies] }),
  })
}

function licenceOf(text: string) {
  return /^[A-Za-z0-9.-]+$/.test(text) ? { license: { id: text } } : { expression: text }
}

function purlOf({ ecosystem = 'npm', name, version }: BillItem): string {
  const path = name.split(/[:/]/).map(encodeURIComponent).join('/')
  return `pkg:${ecosystem}/${path}${version ? `@${version}` : ''}`
}

/** Uploads these files as a full scan of the repository, which is created where it does not exist. Returns its id. */
export async function uploadInventory(
  gatehouse: TestGatehouse,
  repository: string,
  files: Record<string, string>,
  as = gatehouse.owner.token,
): Promise<number> {
  const form = new FormData()
  form.append('scan', new Blob([JSON.stringify({ repository, ref: 'main' })], { type: 'application/json' }))
  for (const [path, content] of Object.entries(files)) form.append(path, new Blob([content]), 'file')
  const response = await fetch(`${gatehouse.url}/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}` },
    body: form,
  })
  const answer = (await response.json()) as { scan: { repositoryId: number } }
  if (response.status !== 200) throw new Error(`no upload: ${JSON.stringify(answer)}`)
  return answer.scan.repositoryId
}
