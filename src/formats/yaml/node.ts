import { type Cursor, YamlFault } from './cursor.ts'

/** Keeps account of where in the document a value is read, and how deep. */
export type Visit = { enter<T>(key: string, offset: number, read: () => T): T }

const features: Record<string, string> = { '&': 'an anchor', '*': 'an alias', '!': 'a tag' }
const reserved = '@`%'

/** Anchors and aliases can blow a small text up into a huge value, tags can mean anything: no lockfile needs them. */
export function refuseFeature({ source, at }: Cursor): void {
  const char = source[at]!
  const feature = Object.hasOwn(features, char) ? features[char] : undefined
  if (feature) throw new YamlFault('yaml-feature', feature, at)
  if (reserved.includes(char)) throw new YamlFault('not-yaml', `a text that starts with '${char}'`, at)
}
