declare module 'spdx-expression-parse' {
  /** Throws where the text is not a licence expression. */
  export default function parse(text: string): unknown
}
