import type { ProjectTags } from './contract.ts'

/** With commas between them or as a list, as clients have it. */
export function tagsIn(given: ProjectTags): string[] {
  const names = typeof given === 'string' ? given.split(',') : (given ?? []).map(({ name }) => name)
  return [...new Set(names.map((name) => name.trim().toLowerCase()).filter(isTag))]
}

/** Tags of repositories are bounded; what is longer is no tag here. */
function isTag(name: string): boolean {
  return name !== '' && name.length <= 100
}
