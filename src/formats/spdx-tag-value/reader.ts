import type { Format, Problem, Reading } from '../format.ts'
import { fatalProblem } from '../problem.ts'
import { type Bill, createBill } from '../sbom/bill.ts'
import { addPackage, isCpeReference, isPurlReference, type SpdxPackage } from '../spdx/package.ts'
import { addRelationship } from '../spdx/relationships.ts'
import { refuseVersion } from '../spdx/versions.ts'
import { headText } from '../text/bytes.ts'
import { NotUtf8 } from '../text/utf8-chunks.ts'
import { taggedLines } from './lines.ts'

/** SPDX 2.2 and 2.3 documents as tag-value text. */
export const spdxTagValue: Format = {
  id: 'spdx-tag-value',
  title: 'SPDX 2 (tag-value)',
  fileNames: [/\.spdx$/i, /\.spdx\.txt$/i],
  recognises,
  read,
}

function recognises(head: Uint8Array): boolean {
  const text = headText(head)
  return /^\s*[A-Za-z#]/.test(text) && /^SPDXVersion:[ \t]*SPDX-/m.test(text)
}

function read(chunks: Iterable<Uint8Array>): Reading {
  try {
    return readLines(chunks)
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error
    return failed(fatalProblem('not-utf8', error.message, error.linesBefore + 1))
  }
}

function readLines(chunks: Iterable<Uint8Array>): Reading {
  const bill = createBill()
  const sections = createSections(bill)
  let version: string | undefined
  const lines = taggedLines(chunks)
  let next = lines.next()
  for (; !next.done; next = lines.next()) {
    const { tag, value, line } = next.value
    if (tag === 'SPDXVersion') {
      version = value
      const refused = refuseVersion(version, line)
      if (refused) return failed(refused)
    } else if (tag === '') {
      bill.problemCounts.note('invalid-line', '', (count) => `${count} lines are not 'Tag: value' pairs.`, line)
    } else sections.take(tag, value, line)
    if (bill.isFull()) return bill.finish()
  }
  const refused = refuseVersion(version, 0)
  if (refused) return failed(refused)
  if (next.value.openTextLine > 0) {
    return failed(fatalProblem('truncated', 'The document ends inside a <text>.', next.value.openTextLine))
  }
  sections.finish()
  return bill.finish()
}

function failed(problem: Problem): Reading {
  return { items: [], problems: [problem] }
}

/** Lines belong to the package, file, snippet or licence begun last. */
function createSections(bill: Bill) {
  let current: SpdxPackage | undefined

  function finish(): void {
    if (current) addPackage(bill, current)
    current = undefined
  }

  function take(tag: string, value: string, line: number): void {
    if (tag === 'PackageName') {
      finish()
      current = { ...emptyPackage(line), name: value }
    } else if (tag === 'FileName' || tag === 'SnippetSPDXID' || tag === 'LicenseID') finish()
    else if (tag === 'Relationship') {
      const [from, type, to] = value.split(/\s+/)
      if (from && type && to) addRelationship(bill, from, type, to)
      else
        bill.problemCounts.note('invalid-relationship', '', (count) => `${count} relationships are incomplete.`, line)
    } else if (current) setField(current, tag, value)
  }

  return { take, finish }
}

function emptyPackage(line: number): SpdxPackage {
  const texts = {
    id: '',
    name: '',
    cpe: '',
    version: '',
    download: '',
    concluded: '',
    declared: '',
    purpose: '',
    pointer: '',
  }
  return { ...texts, purls: [], line }
}

function setField(spdx: SpdxPackage, tag: string, value: string): void {
  if (tag === 'SPDXID') spdx.id = value
  else if (tag === 'PackageVersion') spdx.version = value
  else if (tag === 'PackageDownloadLocation') spdx.download = value
  else if (tag === 'PackageLicenseConcluded') spdx.concluded = value
  else if (tag === 'PackageLicenseDeclared') spdx.declared = value
  else if (tag === 'PrimaryPackagePurpose') spdx.purpose = value
  else if (tag === 'ExternalRef') {
    const [, type, locator] = value.split(/\s+/)
    if (type && locator && isPurlReference(type)) spdx.purls.push(locator)
    else if (type && locator && isCpeReference(type)) spdx.cpe ||= locator
  }
}
