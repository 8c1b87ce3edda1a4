import { withValues } from '../app/address/address.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { LostPairs } from '../ui/forms/lost-pairs.tsx'
import { Icon } from '../ui/icons.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { lostQuestionPairs, type Question } from './question.ts'

/** What other pages asked for besides and the form has no field for: it stays until it is taken away here. */
export function AskedParts({ question, repository }: { question: Question; repository: string | undefined }) {
  const { pairs } = usePlace()
  const parts = [
    { name: 'licence', label: 'Licence', value: question.licence },
    { name: 'repo', label: 'Repository', value: question.repository && (repository ?? 'not understood') },
  ].filter(({ value }) => value !== '')
  const lost = lostQuestionPairs(pairs)
  if (parts.length + lost.length === 0) return null
  return (
    <div className="row tight">
      {parts.map(({ name, label, value }) => (
        <span key={name} className="chip-pair">
          <span className="chip on">
            <span className="value">
              {label}: <bdi>{plainly(value)}</bdi>
            </span>
          </span>
          <button
            type="button"
            className="chip on off"
            aria-label={`Clear ${label}`}
            onClick={() => goSearch(withValues(pairs, name, []))}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      <LostPairs lost={lost} />
    </div>
  )
}
