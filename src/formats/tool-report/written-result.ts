import { type Loose, list, positive, record, text, word } from '../sarif/log/loose.ts'

export type Place = {
  path: string
  startLine?: unknown
  startColumn?: unknown
  endLine?: unknown
  endColumn?: unknown
  /** The code that is pointed at; it is part of the finding's identity. */
  snippet?: string
  /** Lines around it: what tells it from others like it. */
  around?: { startLine: number; text: string } | undefined
}

/** A place in a file as SARIF has it (§3.29). */
export function location({ path, startLine, startColumn, endLine, endColumn, snippet, around }: Place): Loose {
  const region = {
    startLine: positive(startLine),
    startColumn: positive(startColumn),
    endLine: positive(endLine),
    endColumn: positive(endColumn),
    ...(snippet && { snippet: { text: snippet } }),
  }
  return {
    physicalLocation: {
      artifactLocation: { uri: asUri(path) },
      region,
      ...(around && { contextRegion: { startLine: around.startLine, snippet: { text: around.text } } }),
    },
  }
}

/** A path is written where SARIF has a URI. */
export function asUri(path: string): string {
  return path.replaceAll('%', '%25')
}

const saysNothing = /^(unknown|undefined|)$/i

/** What a tool calls how bad it is, as a property to be read; none where it does not know. */
export function severity(value: unknown): Loose {
  const written = word(value)
  return saysNothing.test(written) ? {} : { severity: written }
}

/** What is vulnerable, under the names that the readers of SARIF know. */
export function component(of: { name: unknown; version: unknown; ecosystem?: unknown; fixed?: unknown }): Loose {
  return {
    component: text(of.name, 300),
    componentVersion: text(of.version, 200),
    componentOrigin: text(of.ecosystem, 100),
    fixedVersion: text(of.fixed, 200),
  }
}

export function texts(value: unknown, maxItems = 50): string[] {
  return list(value)
    .slice(0, maxItems)
    .map((one) => text(one, 300))
    .filter((one) => one !== '')
}

/** A text, or the texts of a list: tools write one where there is one. */
export function textOrTexts(value: unknown): string[] {
  return typeof value === 'string' ? texts([value]) : texts(value)
}

export { type Loose, list, record, text, word }
