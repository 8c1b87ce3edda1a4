import { EVENT_ID, type Event, getScalarValue } from 'js-yaml'
import { type Parsed, type ParseOptions, recordLine } from '../json/safe-json.ts'
import { lineCounter } from '../text/bytes.ts'

/** Something that YAML has and that is not read. */
export class YamlFeature extends Error {
  readonly offset: number
  constructor(what: string, offset: number) {
    super(what)
    this.offset = offset
  }
}

type Container = {
  kind: 'document' | 'list' | 'map'
  list: unknown[]
  map: Record<string, unknown>
  /** Of a map: the key whose value comes next. */
  key: string | undefined
}

/** The values of the documents that a stream of events describes, with the lines of the entries that are wanted. */
export function composeDocuments(source: string, events: readonly Event[], locate: ParseOptions['locate']): Parsed[] {
  const lineAt = lineCounter(source)
  const documents: Parsed[] = []
  const open: Container[] = []
  const path: string[] = []
  let lines = new Map<string, number>()
  let offset = 0

  function note(): void {
    if (locate?.(path)) recordLine(lines, path, lineAt(offset))
  }

  /** Before a value, which stands under the key before it or at the next number of a list. */
  function enter(): void {
    const into = open.at(-1)!
    if (into.kind !== 'list') return
    path.push(String(into.list.length))
    note()
  }

  function add(value: unknown): void {
    const into = open.at(-1)!
    if (into.kind === 'map') {
      into.map[into.key!] = value
      into.key = undefined
    } else {
      into.list.push(value)
    }
    if (into.kind !== 'document') path.pop()
  }

  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const { kind, list, map } = open.pop()!
      if (kind === 'document') documents.push({ value: list[0] ?? '', lines })
      else add(kind === 'list' ? list : map)
      continue
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      if (event.directives.length > 0) throw new YamlFeature('a directive', offset)
      lines = new Map()
      open.push(container('document'))
      continue
    }
    offset = startOf(event) ?? offset
    refuseFeature(event)
    const into = open.at(-1)!
    if (into.kind === 'map' && into.key === undefined) {
      if (event.type !== EVENT_ID.SCALAR) throw new YamlFeature('a key that is not plain text', offset)
      into.key = getScalarValue(source, event)
      path.push(into.key)
      note()
      continue
    }
    enter()
    if (event.type === EVENT_ID.SCALAR) add(getScalarValue(source, event))
    else open.push(container(event.type === EVENT_ID.SEQUENCE ? 'list' : 'map'))
  }
  return documents
}

function container(kind: Container['kind']): Container {
  return { kind, list: [], map: Object.create(null), key: undefined }
}

function startOf(event: Exclude<Event, { type: 1 | 6 }>): number | undefined {
  const at = 'valueStart' in event ? event.valueStart : 'start' in event ? event.start : event.anchorStart
  return at < 0 ? undefined : at
}

/** Anchors and aliases can blow a small text up into a huge value, tags can mean anything: no lockfile needs them. */
function refuseFeature(event: Exclude<Event, { type: 1 | 6 }>): void {
  if (event.type === EVENT_ID.ALIAS) throw new YamlFeature('an alias', event.anchorStart)
  if (event.anchorStart >= 0) throw new YamlFeature('an anchor', event.anchorStart)
  if (event.tagStart >= 0) throw new YamlFeature('a tag', event.tagStart)
}
