import { type Pair, withValues } from '../../app/address/address.ts'
import { goSearch } from '../../app/address/location.ts'
import { lostPeriod, type Period, type PeriodName, periods, periodWords } from '../../app/address/period.ts'
import { LostPairs } from './lost-pairs.tsx'

export function PeriodChoice({ period, pairs }: { period: Period; pairs: readonly Pair[] }) {
  const choose = (name: PeriodName) => {
    const rest = pairs.filter(([each]) => each !== 'since' && each !== 'until')
    goSearch(withValues(rest, 'period', periodWords(name)))
  }
  return (
    <>
      <LostPairs lost={lostPeriod(pairs)} />
      <fieldset className="segments">
        <legend className="visually-hidden">Period</legend>
        {(Object.keys(periods) as PeriodName[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={period.name === name}
            title={periods[name]}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </fieldset>
    </>
  )
}
