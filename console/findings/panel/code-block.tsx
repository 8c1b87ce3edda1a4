import type { Finding, FindingDetail } from '../../../src/capabilities/findings/finding.ts'
import { Foreign, OutLink } from '../../ui/text/foreign.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { codeLines } from './code-lines.ts'

type Props = {
  location: Finding['locations'][number]
  aside: string
  href?: string | undefined
  surroundings?: FindingDetail['surroundings']
  /** An entry of a lockfile is a place without code. */
  hasCode?: boolean
}

/** The source at the place, with its lines numbered and marked. */
export function CodeBlock({ location, aside, href, surroundings, hasCode = true }: Props) {
  const lines = codeLines(location, surroundings)
  return (
    <figure className="code">
      <header>
        <OutLink address={href ?? ''}>
          <Foreign text={`${location.path}${location.startLine > 0 ? `:${location.startLine}` : ''}`} mono />
        </OutLink>
        <Foreign text={aside} />
      </header>
      {lines.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
        <pre tabIndex={0}>
          {lines.map(({ number, text, marked }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <span className={marked ? 'line marked' : 'line'} key={index}>
              {number > 0 && <span className="no">{number}</span>}
              <bdi>{plainly(text)}</bdi>
              {'\n'}
            </span>
          ))}
        </pre>
      ) : (
        hasCode && <p className="none">The scanner sent no code.</p>
      )}
    </figure>
  )
}
