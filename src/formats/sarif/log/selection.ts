import type { JsonChoice, JsonKind, JsonPath } from '../../json/json-stream.ts'

/** What to keep of a run besides its results. `path` is that inside the run; what is not of the kind that SARIF says is passed over. */
export function chooseOfRun(path: JsonPath, kind: JsonKind): JsonChoice {
  const [key, second, third] = path
  const depth = path.length
  switch (key) {
    case 'tool':
      if (depth === 1) return enter(kind, 'object')
      if (second === 'driver') return depth === 2 ? enter(kind, 'object') : chooseOfComponent(path.slice(2), kind)
      if (second !== 'extensions') return 'skip'
      return chooseOfComponents(path.slice(2), kind)
    case 'taxonomies':
      return chooseOfComponents(path.slice(1), kind)
    case 'artifacts':
    case 'threadFlowLocations':
    case 'invocations':
      if (key === 'invocations' && notifications.has(third)) return depth === 3 ? enter(kind, 'array') : 'parse'
      if (depth < 3) return enter(kind, depth === 1 ? 'array' : 'object')
      return wanted[key].has(third) ? 'parse' : 'skip'
    case 'logicalLocations':
      return depth === 1 ? enter(kind, 'array') : 'parse'
    case 'externalPropertyFileReferences':
      return depth === 1 ? enter(kind, 'object') : second === 'results' ? 'parse' : 'skip'
    case 'automationDetails':
      return depth === 1 ? enter(kind, 'object') : second === 'id' ? 'parse' : 'skip'
    case 'originalUriBaseIds':
    case 'versionControlProvenance':
    case 'properties':
      return kind === 'scalar' ? 'skip' : 'parse'
    default:
      return 'skip'
  }
}

/** Where a tool says what went wrong with itself (SARIF §3.20.21, §3.20.22). */
const notifications: ReadonlySet<unknown> = new Set(['toolExecutionNotifications', 'toolConfigurationNotifications'])

const wanted: Readonly<
  Record<'artifacts' | 'threadFlowLocations' | 'invocations' | 'component', ReadonlySet<unknown>>
> = {
  artifacts: new Set(['location']),
  threadFlowLocations: new Set(['location']),
  invocations: new Set(['workingDirectory', 'ruleConfigurationOverrides', 'executionSuccessful']),
  component: new Set(['name', 'guid', 'version', 'semanticVersion', 'globalMessageStrings']),
}

/** `path` is that inside the list of components. */
function chooseOfComponents(path: JsonPath, kind: JsonKind): JsonChoice {
  if (path.length < 2) return enter(kind, path.length === 0 ? 'array' : 'object')
  return chooseOfComponent(path.slice(1), kind)
}

/** `path` is that inside the component. */
function chooseOfComponent([key, ...rest]: JsonPath, kind: JsonKind): JsonChoice {
  if (key === 'rules' || key === 'taxa') return rest.length === 0 ? enter(kind, 'array') : 'parse'
  return wanted.component.has(key) ? 'parse' : 'skip'
}

function enter(kind: JsonKind, expected: JsonKind): JsonChoice {
  return kind === expected ? 'enter' : 'skip'
}
