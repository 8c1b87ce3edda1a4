import type { Finding } from '../../src/capabilities/findings/finding.ts'
import { Foreign, OutLink } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'

type Location = Finding['locations'][number]

/** The source at the place, with its lines numbered and marked. */
export function CodeBlock({ location, aside, href }: { location: Location; aside: string; href?: string | undefined }) {
  const lines = location.snippet === '' ? [] : location.snippet.replace(/\n$/, '').split('\n')
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
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <span className="line marked" key={index}>
              {location.startLine > 0 && <span className="no">{location.startLine + index}</span>}
              <bdi>{plainly(line)}</bdi>
              {'\n'}
            </span>
          ))}
        </pre>
      ) : (
        <p className="none">The scanner sent no code.</p>
      )}
    </figure>
  )
}
