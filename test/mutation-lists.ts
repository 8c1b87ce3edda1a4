import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Mutation } from './mutations/mutation.ts'

export type ListedMutation = Mutation & { list: string }

const folder = join(import.meta.dirname, 'mutations')

/** Every mutation of every list in test/mutations, by the name of its list. */
export async function readMutations(): Promise<ListedMutation[]> {
  const files = globSync('*.ts', { cwd: folder })
    .filter((file) => file !== 'mutation.ts')
    .sort()
  const read: ListedMutation[] = []
  for (const file of files) {
    const lists = Object.values((await import(join(folder, file))) as Record<string, Mutation[]>)
    for (const mutation of lists.flat()) read.push({ ...mutation, list: basename(file, '.ts') })
  }
  return read
}
