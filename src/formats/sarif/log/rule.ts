import { readLabels } from '../classify/labels.ts'
import { indexOf, type Loose, list, oneLine, own, record, text, word } from './loose.ts'
import { messageStrings } from './message.ts'

/** A pointer to a rule or a taxon: SARIF §3.52. */
export type Reference = { id: string; guid: string; index: number; component: ComponentReference }
export type ComponentReference = { name: string; guid: string; index: number }

/** What is kept of a rule: help texts and descriptions make up most of many logs, so only their beginning is. */
export type Rule = {
  id: string
  guid: string
  name: string
  title: string
  description: string
  help: string
  helpUri: string
  level: string
  tags: string[]
  aliases: string[]
  properties: Loose
  /** `Package: openssl` and the like, out of the help text: some tools say it nowhere else. */
  labels: Record<string, string>
  taxa: Reference[]
  messages: Record<string, string>
}

export function readRule(value: unknown): Rule {
  const rule = record(value)
  const properties = record(rule.properties)
  return {
    id: text(rule.id, 500),
    guid: text(rule.guid, 100).toLowerCase(),
    name: text(rule.name, 500),
    title: oneLine(text(record(rule.shortDescription).text, 1000), 300),
    description: oneLine(text(record(rule.fullDescription).text, 1000), 500),
    help: text(record(rule.help).markdown, maxHelp) || text(record(rule.help).text, maxHelp),
    helpUri: webAddress(text(rule.helpUri, 1000)),
    level: text(record(rule.defaultConfiguration).level, 20),
    tags: readTags(properties.tags),
    aliases: readTags(rule.deprecatedIds),
    properties: scalarsOf(properties),
    labels: readLabels(text(record(rule.help).text, 2000)),
    taxa: list(rule.relationships)
      .slice(0, 50)
      .map((relationship) => readReference(record(relationship).target)),
    messages: messageStrings(rule.messageStrings),
  }
}

const maxHelp = 4_000

/** Whoever follows it leaves for where the log says, so it is an address of the web or none. */
function webAddress(written: string): string {
  return /^https:\/\/[^\s/]/.test(written) ? written : ''
}

export function readReference(value: unknown): Reference {
  const reference = record(value)
  const component = record(reference.toolComponent)
  return {
    id: text(reference.id, 500),
    guid: text(reference.guid, 100).toLowerCase(),
    index: indexOf(reference.index),
    component: {
      name: text(component.name, 200),
      guid: text(component.guid, 100).toLowerCase(),
      index: indexOf(component.index),
    },
  }
}

export function readTags(value: unknown): string[] {
  return list(value)
    .slice(0, 100)
    .map((tag) => text(tag, 200).trim())
    .filter((tag) => tag !== '')
}

/** Scores, words and short lists of a property bag, whatever the tool calls them. */
export function scalarsOf(bag: Loose): Loose {
  const kept: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(bag).slice(0, 100)) {
    const value = own(bag, key)
    if (key === 'tags' || key.length > 100) continue
    if (Array.isArray(value)) kept[key] = readTags(value)
    else if (word(value) !== '') kept[key] = word(value)
  }
  return kept
}
