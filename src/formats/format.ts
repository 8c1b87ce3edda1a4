import type { EcosystemId } from '../ecosystems/ecosystem.ts'

/** One dependency as a lockfile or SBOM states it. */
export type InventoryItem = {
  /** Unique within the document; what `dependsOn` of other items refers to. */
  key: string
  ecosystem: EcosystemId
  /** As written in the document; the ecosystem's `normalizeName` is applied on storing. */
  name: string
  /** As written, without range operators; '' where the document gives none (a git or local dependency). */
  version: string
  transitivity: 'DIRECT' | 'TRANSITIVE' | 'UNKNOWN'
  /** Only needed to develop or test, where the format tells. */
  development: boolean
  /** SPDX licence expression or the text the document has; '' where it says nothing. */
  licence: string
  /** Where it was fetched from, as the document says; '' where it says nothing. Never with credentials in it. */
  resolved: string
  /** Keys of the items it depends on; [] where the format has no graph. */
  dependsOn: string[]
  /** 1-based line of the entry; 0 where the reader cannot tell. */
  line: number
}

/** Something in a document that could not be read, said so that a person can find and mend it. */
export type Problem = {
  /** Stable, kebab-case: 'truncated', 'not-utf8', 'too-deep', 'doctype', 'missing-version' ... */
  code: string
  /** One sentence for a person; quotes at most 200 characters of the document. */
  detail: string
  /** 1-based line, 0 where unknown. */
  line: number
  /** JSON pointer, XML path or TOML key of the place; '' where there is none. */
  pointer: string
  /** True where nothing of the document could be used. */
  fatal: boolean
}

/** What a bill of materials says about one vulnerability: that something has it, or that it does not matter there (VEX). */
export type BillStatement = {
  /** For example CVE-2021-44228; '' where it has no id. */
  vulnerability: string
  /** CycloneDX's own words (`not_affected`, `code_not_reachable`); '' where the document says nothing. */
  state: string
  justification: string
  /** Keys of items of the same document, or links to components of another (`urn:cdx:…`). */
  affects: string[]
  /** The whole statement as JSON. */
  document: string
}

export type Reading = { items: InventoryItem[]; problems: Problem[]; statements?: BillStatement[] }

/** What the other documents of an upload say about the one that is read. */
export type Beside = {
  /** The go.mod in the folder of a go.sum. */
  goMod?: Iterable<Uint8Array> | undefined
  requirements?: RequirementsBeside | undefined
}

/** How a requirements file of pip stands among the others. */
export type RequirementsBeside = {
  /** Others name it with -c, and none with -r: it says which versions may be installed, not what is. */
  constrainsOnly: boolean
  /** Files that it includes and that were uploaded too, as it writes their names. */
  present: readonly string[]
  /** Normalised names and versions, from the constraints that it names. */
  pins: readonly (readonly [name: string, version: string])[]
}

/** A reader of one document format. Pure: bytes in, items and problems out; it never throws on any input. */
export type Format = {
  /** Kebab-case, the name of its folder, e.g. 'package-lock'. */
  readonly id: string
  readonly title: string
  /** The file names under which the format is usually found, for finding files in a folder; never trusted on upload. */
  readonly fileNames: readonly RegExp[]
  /** The same for whole paths, where a folder tells; the content must be looked at too. */
  readonly paths?: readonly RegExp[]
  /** Cheap: is this document mine? `head` is its first 64 KiB at most; `path` is a hint that may lie or be ''. */
  recognises(head: Uint8Array, path: string): boolean
  /** `chunks` can be iterated once; readers of small formats join them, readers of large ones stream. */
  read(chunks: Iterable<Uint8Array>, name: string, beside?: Beside): Reading
}
