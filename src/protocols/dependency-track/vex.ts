import { fromPurl } from '../../ecosystems/registry.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { readPiece } from '../../kernel/disk/file-range.ts'
import { countJson } from '../../kernel/text/bounded-json.ts'

/** What a document says about one vulnerability. */
export type Analysis = {
  ids: string[]
  state: string
  /** Why, as the document has it: the justification and the words of a person. */
  note: string
  /** The packages it is about; 'all' where it is about the project as a whole. */
  packages: 'all' | { ecosystem: string; name: string; version: string | undefined }[]
  /** References of the document that lead to no package. */
  unknown: string[]
}

const mostBytes = 4 * 1024 * 1024
const mostContainers = 200_000
const mostDepth = 64

/** The analyses of a CycloneDX document in JSON. It is read at once, so it is bounded. */
export function readVex(file: ReceivedFile): Analysis[] {
  const document = parse(file)
  const root = textOf(at(at(at(document, 'metadata'), 'component'), 'bom-ref'))
  const purls = new Map<string, string>()
  for (const component of listOf(at(document, 'components'))) {
    purls.set(textOf(at(component, 'bom-ref')), textOf(at(component, 'purl')))
  }
  return listOf(at(document, 'vulnerabilities')).map((one) => {
    const analysis = at(one, 'analysis')
    const affects = at(one, 'affects') ?? []
    const refs = listOf(affects).map((each) => textOf(at(each, 'ref')))
    const packages = refs.map((ref) => ({ ref, found: ref ? fromPurl(purls.get(ref) || purlIn(ref)) : undefined }))
    // What names something that cannot be read is not about everything.
    const isAll = Array.isArray(affects) && (refs.length === 0 || (root !== '' && refs.includes(root)))
    const references = listOf(at(one, 'references')).map((each) => textOf(at(each, 'id')))
    return {
      ids: [textOf(at(one, 'id')), ...references].filter(Boolean),
      state: textOf(at(analysis, 'state')),
      note: [textOf(at(analysis, 'justification')), textOf(at(analysis, 'detail'))].filter(Boolean).join(': '),
      packages: isAll
        ? 'all'
        : packages.flatMap(({ found }) =>
            found ? [{ ecosystem: found.ecosystem.id, name: found.name, version: found.version }] : [],
          ),
      unknown: isAll ? [] : packages.filter(({ found }) => !found).map(({ ref }) => ref),
    }
  })
}

/** Of a link to a component of another document (`urn:cdx:…#ref`) the reference may be a package URL. */
function purlIn(ref: string): string {
  return decodeURIComponentOr(ref.startsWith('urn:cdx:') ? ref.slice(ref.indexOf('#') + 1) : ref)
}

function decodeURIComponentOr(text: string): string {
  try {
    return text.startsWith('pkg%3A') ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}

function parse(file: ReceivedFile): unknown {
  if (file.bytes > mostBytes) throw new Fault('payload_too_large', 'A VEX document may be at most 4 MiB.')
  const content = Buffer.from(readPiece(file, 0, file.bytes))
  const { containers, depth } = countJson(content)
  if (containers > mostContainers || depth > mostDepth) {
    throw new Fault('payload_too_large', 'The VEX document has too much in it.')
  }
  try {
    const document: unknown = JSON.parse(content.toString('utf8').replace(/^\ufeff/, ''))
    if (at(document, 'bomFormat') === 'CycloneDX') return document
  } catch {
    // Said below.
  }
  throw new Fault('unprocessable', 'The VEX document is not CycloneDX in JSON. Other formats are not taken here.')
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 2_000) : ''
}
