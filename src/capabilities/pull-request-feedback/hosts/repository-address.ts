import type { CodeHost } from '../contract.ts'

const part = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/

/** Whether a repository of this name can be one of that kind of code host: an owner and a name, or groups and a name. */
export function isAddressable(kind: CodeHost['kind'], repository: string): boolean {
  const parts = repository.split('/')
  const isRightDepth = kind === 'github' ? parts.length === 2 : parts.length >= 2
  // Names of repositories may begin with a dot, as .github does.
  return isRightDepth && parts.every((each) => part.test(each.replace(/^\.(?=[A-Za-z])/, '')))
}
