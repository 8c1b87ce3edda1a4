import { hash } from 'node:crypto'
import { readJsonStream } from '../../formats/json/json-stream.ts'
import { chosenParts } from '../../formats/tool-report/chosen-parts.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import { readPiece } from '../../kernel/disk/file-range.ts'

/** What a snapshot says of itself before it lists its manifests. */
export type SnapshotHead = { sha: string; ref: string; correlator: string; detector: string }

/** All clients write it first; what is behind this is read elsewhere, where it holds up nobody. */
const headBytes = 256 * 1024

const members = { sha: 'sha', ref: 'ref', correlator: 'job/correlator', detector: 'detector/name' } as const
const choose = chosenParts(...Object.values(members))

export function readSnapshotHead(file: ReceivedFile): SnapshotHead {
  const bytes = readPiece(file, 0, headBytes)
  const found = new Map<string, unknown>()
  for (const { path, value } of readJsonStream([bytes], choose, [])) {
    found.set(path.join('/'), value)
    if (found.size === Object.keys(members).length) break
  }
  const errors: FieldError[] = []
  const taken = (name: keyof SnapshotHead, pattern: RegExp, detail: string) => {
    const value = found.get(members[name])
    if (typeof value === 'string' && pattern.test(value)) return value
    errors.push({ pointer: `/${members[name]}`, detail })
    return ''
  }
  const head = {
    sha: taken('sha', /^([0-9a-f]{40}|[0-9a-f]{64})$/i, 'must be a commit, and stand before the manifests'),
    ref: taken(
      'ref',
      /^refs\/(heads|tags|pull)\/[^\s~^:?*[\\]{1,240}$/,
      'must be a ref, and stand before the manifests',
    ),
    correlator: taken('correlator', /^[^\p{Cc}]{1,500}$/u, 'must be a text, and stand before the manifests'),
    detector: taken('detector', /^[^\p{Cc}]{1,500}$/u, 'must be a text, and stand before the manifests'),
  }
  if (errors.length > 0) throw new Fault('validation_failed', 'This is not a snapshot of dependencies.', { errors })
  return head
}

/** What a snapshot replaces is the last one of its correlator and detector. Readable, and never the same for two. */
export function snapshotName({ correlator, detector }: SnapshotHead): string {
  const exact = JSON.stringify([correlator, detector])
  const plain = `${correlator} ${detector}`.replace(/[^\w .-]+/g, '-').slice(0, 100)
  return `${plain} ${hash('sha256', exact).slice(0, 8)}`
}
