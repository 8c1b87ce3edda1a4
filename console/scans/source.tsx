import { kindOf, type SourceKind } from '../../src/domain/sources.ts'
import { Foreign } from '../ui/text/foreign.tsx'

const names: Record<SourceKind, string> = {
  gatehouse: 'Gatehouse',
  'github-snapshot': 'GitHub snapshot',
  'github-code-scanning': 'GitHub code scanning',
  'dependency-track': 'Dependency-Track',
  semgrep: 'Semgrep',
  defectdojo: 'DefectDojo',
}

/** The product whose interface a scan came through; as it is written where a newer server made it. */
export function sourceName(source: string): string {
  const kind = kindOf(source)
  return Object.hasOwn(names, kind) ? names[kind as SourceKind] : kind
}

/** With the list that it is of, where a client keeps several. */
export function SourceShown({ source }: { source: string }) {
  const list = source.slice(kindOf(source).length + 1)
  return (
    <>
      {sourceName(source)} {list && <Foreign text={list} mono />}
    </>
  )
}
