import { type PastFirewall, referencesPast } from '../../../formats/registry-references/registry-references.ts'
import { type FileRange, pieces } from '../../../kernel/disk/file-range.ts'
import { storableText } from '../../../kernel/text/storable-text.ts'

/** The largest lockfiles that were seen have a tenth of it. */
const mostBytes = 64 * 1024 * 1024

/** Blocks its thread while it reads. */
export function pastIn(file: FileRange, path: string, firewall: string): PastFirewall[] {
  if (file.bytes > mostBytes) return []
  return referencesPast(path, Buffer.concat([...pieces(file)]).toString('utf8'), firewall).map(storable)
}

function storable(past: PastFirewall): PastFirewall {
  return { ...past, example: storableText(past.example, 500) }
}
