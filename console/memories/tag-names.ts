import { useTags } from '../api/ask.ts'

export function useTagName(): (id: number) => string {
  const { tags } = useTags()
  return (id) => tags.find((tag) => tag.id === id)?.name ?? `#${id}`
}
