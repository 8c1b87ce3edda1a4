import type { Product } from '../../../domain/finding-terms.ts'
import type { Evidence } from '../log/evidence.ts'
import type { Reference } from '../log/rule.ts'
import type { Component, Run } from '../log/run.ts'

const maxIds = 20

/** `CWE-79` from tags, properties, taxa and, as a last resort, the words of the rule and message. */
export function cwesOf(evidence: Evidence, taxa: readonly Reference[], run: Run): string[] {
  const found = new Set<string>()
  for (const { component, id } of taxonIds(taxa, run)) {
    if (/\bcwe\b|common weakness/i.test(component)) addNumbers(found, id)
    else addCwes(found, id)
  }
  for (const tag of evidence.tags) addCwes(found, tag)
  for (const value of propertyValues(evidence, /^cwes?([_-]?ids?)?$/i)) addNumbers(found, value)
  addCwes(found, evidence.ruleId)
  if (found.size === 0)
    addCwes(found, `${evidence.rule?.title ?? ''} ${evidence.rule?.description ?? ''} ${evidence.message}`)
  return [...found].slice(0, maxIds)
}

export function owaspOf(evidence: Evidence, taxa: readonly Reference[], run: Run): string[] {
  const found = new Set<string>()
  for (const { component, id } of taxonIds(taxa, run)) if (/owasp/i.test(component)) addOwasp(found, id, true)
  for (const tag of evidence.tags) addOwasp(found, tag, false)
  for (const value of propertyValues(evidence, /^owasp/i)) addOwasp(found, value, true)
  return [...found].slice(0, maxIds)
}

const advisoryIds =
  /\b(CVE-\d{4}-\d{4,9}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}|BDSA-\d{4}-\d{1,9}|SNYK-[A-Z]{2,20}-[A-Z0-9]{1,100}-\d{1,12}|(?:GO|RUSTSEC|PYSEC|OSV|MAL|DSA|DLA|USN|ALAS|RHSA)-\d{4}[-:]\d{1,9})\b/gi

export function vulnerabilityIdsOf({ ruleId, rule, tags, message }: Evidence, product: Product): string[] {
  const named = [ruleId.replaceAll('_', ' '), ...(rule?.aliases ?? []), ...tags].join(' ')
  const about = `${rule?.title ?? ''} ${rule?.description ?? ''}`
  const found = new Set<string>()
  // Descriptions mention other advisories in passing: only asked where the rule does not say it itself.
  for (const text of product === 'sca' ? [named, about, message] : [named]) {
    for (const [id] of text.matchAll(advisoryIds)) found.add(advisoryId(id))
    if (found.size > 0) break
  }
  return [...found].slice(0, maxIds)
}

function advisoryId(written: string): string {
  return /^ghsa/i.test(written) ? `GHSA${written.slice(4).toLowerCase()}` : written.toUpperCase()
}

function addCwes(found: Set<string>, text: string): void {
  for (const [, number] of text.matchAll(/\bCWE[-_ :]{0,2}0{0,5}([1-9]\d{0,4})\b/gi)) found.add(`CWE-${number}`)
}

/** `CWE-20`, `20`, `120, 129`: where it is known to be about CWEs, a number is enough. */
function addNumbers(found: Set<string>, text: string): void {
  addCwes(found, text)
  if (/^[\d\s,;]+$/.test(text)) for (const [number] of text.matchAll(/[1-9]\d{0,4}/g)) found.add(`CWE-${number}`)
}

const owaspId = /\b(A|API|M|LLM)0{0,2}([1-9]\d?)(?::(20\d\d))?(?!\d)/i
const owaspYear = /\b(20\d\d)\b/

/** `OWASP-A03:2021 - Injection`, `A3: Sensitive Data Exposure`, `owasp-2021-a3`, `API3`. */
function addOwasp(found: Set<string>, text: string, known: boolean): void {
  const said = known || /owasp/i.test(text)
  const rest = text.replace(/^.*?owasp[-_/: ]*(top[-_ ]?(10|ten)[-_/: ]*)?/i, '')
  const id = owaspId.exec(rest.replace(/[-_/]/g, ' '))
  if (!id || !(said || id[3])) return
  const list = id[1]!.toUpperCase()
  // Two digits are customary in the lists that have ten entries at most and are written so.
  const number = list === 'A' || list === 'LLM' ? id[2]!.padStart(2, '0') : id[2]!
  const year = id[3] ?? owaspYear.exec(rest.replace(/[-_/]/g, ' '))?.[1]
  found.add(year ? `${list}${number}:${year}` : `${list}${number}`)
}

function propertyValues({ result, rule }: Evidence, name: RegExp): string[] {
  return [result, rule?.properties ?? {}].flatMap((bag) =>
    Object.entries(bag)
      .filter(([key]) => name.test(key))
      .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
      .filter((value) => typeof value === 'string'),
  )
}

/** The taxa that references point to (SARIF §3.52): by id, else by index or guid into a taxonomy of the run. */
function taxonIds(taxa: readonly Reference[], run: Run): { component: string; id: string }[] {
  return taxa.flatMap(({ id, guid, index, component }) => {
    const taxonomy = findTaxonomy(run, component)
    const taxon =
      (index >= 0 ? taxonomy?.taxa[index]?.id : '') ||
      taxonomy?.taxa.find((one) => guid !== '' && one?.guid === guid)?.id
    return id || taxon ? [{ component: taxonomy?.name || component.name, id: id || taxon || '' }] : []
  })
}

function findTaxonomy(run: Run, reference: Reference['component']): Component | undefined {
  const { guid, index, name } = reference
  const all = [...run.taxonomies, ...run.extensions]
  return (
    all.find((one) => guid !== '' && one?.guid === guid) ??
    all.find((one) => name !== '' && one?.name === name) ??
    run.taxonomies[index]
  )
}

/** What people write, as findings name it: CWE-79 for cwe-079. */
export function plainWeakness(given: string): string {
  const [, number] = /^\s*cwe-0*([1-9][0-9]*|0)\s*$/i.exec(given) ?? []
  return number === undefined ? given : `CWE-${number}`
}
