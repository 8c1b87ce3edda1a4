import { closeSync, fstatSync, openSync } from 'node:fs'
import type { RandomAccess } from '../formats/osv/archive.ts'
import { readAnywhere } from '../kernel/disk/random-access.ts'

export function openForReading(path: string): RandomAccess & { close(): void } {
  const descriptor = openSync(path, 'r')
  return { ...readAnywhere(descriptor, fstatSync(descriptor).size), close: () => closeSync(descriptor) }
}
