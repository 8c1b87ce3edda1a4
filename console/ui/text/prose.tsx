import { Foreign, ForeignLink } from './foreign.tsx'
import { plainly } from './foreign-text.ts'
import { type Block, blocksOf, spansOf } from './markdown.ts'

/** Texts of advisories and rules: a little Markdown, made into elements and nothing else. */
export function Prose({ text }: { text: string }) {
  return (
    <div className="prose">
      {blocksOf(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one text have no other name
        <OneBlock key={index} block={block} />
      ))}
    </div>
  )
}

function OneBlock({ block }: { block: Block }) {
  if (block.kind === 'heading') {
    return (
      <p className="strong">
        <Inline text={block.text} />
      </p>
    )
  }
  if (block.kind === 'code') {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
      <pre tabIndex={0}>{plainly(block.text)}</pre>
    )
  }
  if (block.kind === 'list') {
    return (
      <ul>
        {block.items.map((item) => (
          <li key={item}>
            <Inline text={item} />
          </li>
        ))}
      </ul>
    )
  }
  return (
    <p>
      <Inline text={block.text} />
    </p>
  )
}

function Inline({ text }: { text: string }) {
  return spansOf(text).map((span, index) => {
    const key = `${index} ${span.text}`
    if (span.kind === 'code') return <code key={key}>{plainly(span.text)}</code>
    if (span.kind === 'strong') return <strong key={key}>{plainly(span.text)}</strong>
    if (span.kind === 'link') return <ForeignLink key={key} address={span.address} label={span.text} />
    return <Foreign key={key} text={span.text} />
  })
}
