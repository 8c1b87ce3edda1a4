import { plainWeakness } from '../../formats/sarif/classify/weakness.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import { trimEnd } from '../../kernel/text/trim.ts'
import type { MemoryChanges } from './contract.ts'
import type { ContextName } from './memory.ts'
import type { Fields } from './store.ts'

const prefix = 'AI_MEMORY_CONTEXT_'

export const contextName = (context: string) => `${prefix}${context.toUpperCase()}` as ContextName

const nothing: Fields = {
  content: '',
  contexts: ['triage'],
  rule: '',
  repositoryId: null,
  tagId: null,
  pathPrefixes: [],
  vulnerabilityClass: '',
}

/** What a memory says once these changes are made to what it said, or refuses what it cannot say. */
export function readFields(changes: MemoryChanges, current: Fields = nothing): Fields {
  const fields = {
    content: changes.content ?? current.content,
    contexts: changes.context?.map((name) => name.slice(prefix.length).toLowerCase()) ?? current.contexts,
    rule: changes.ruleId ?? current.rule,
    repositoryId: changes.repositoryId === undefined ? current.repositoryId : Number(changes.repositoryId) || null,
    tagId: changes.projectTagId === undefined ? current.tagId : changes.projectTagId || null,
    pathPrefixes: changes.pathPrefixes ? [...new Set(changes.pathPrefixes.map(plainPath))] : current.pathPrefixes,
    vulnerabilityClass: plainWeakness(changes.vulnerabilityClass ?? current.vulnerabilityClass),
  }
  const errors = faultsOf(fields)
  if (errors.length > 0) throw new Fault('unprocessable', `${errors[0]!.detail}.`, { errors })
  return fields
}

function faultsOf({ contexts, rule, repositoryId, tagId, pathPrefixes, vulnerabilityClass }: Fields): FieldError[] {
  const errors: FieldError[] = []
  if (repositoryId !== null && tagId !== null) {
    errors.push({ pointer: '/projectTagId', detail: 'A memory has a repository or a project tag, not both' })
  }
  if (!contexts.includes('triage')) return errors
  if (rule === '' && pathPrefixes.length === 0 && vulnerabilityClass === '') {
    errors.push({ pointer: '', detail: 'A memory for triage needs a ruleId, pathPrefixes or a vulnerabilityClass' })
  }
  if (vulnerabilityClass !== '' && !/^CWE-[0-9]+$/.test(vulnerabilityClass)) {
    errors.push({ pointer: '/vulnerabilityClass', detail: 'For triage the class is a CWE, for example CWE-79' })
  }
  return errors
}

/** As the paths of findings are written: `/` between names, none of them empty or a dot; addresses as they are. */
function plainPath(path: string): string {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return trimEnd(path, '/')
  const [root] = /^[\\/]{0,2}/.exec(path)!
  const names = path.split(/[\\/]/).filter((name) => name !== '' && name !== '.')
  return root.replaceAll('\\', '/') + names.join('/')
}
