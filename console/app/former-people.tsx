import { useAsk } from '../api/ask.ts'
import { Foreign } from '../ui/text/foreign.tsx'
import { useMay } from './deployment.ts'

/** Whoever it was: by their id, or by an address where that is all there is. No plain text: an id that is one is nobody's. */
type Who = number | { email: string }

/** Says of a name that the person has left. Asked for once a minute at most, whatever shows names. */
export function useNameWithLeft(): (name: string, who: Who) => string {
  const { may } = useMay('people:read')
  const { data } = useAsk('listFormerPeople', {}, { enabled: may, staleTime: 60_000 })
  return (name, who) => {
    const left = data?.people.some(
      ({ id, email, isBack }) => !isBack && (typeof who === 'number' ? id === who : email === who.email),
    )
    return name && left ? `${name} (left)` : name
  }
}

/** `otherwise` where the deployment does not know the name. */
export function PersonName({ name, who, otherwise = '' }: { name: string; who: Who; otherwise?: string }) {
  const withLeft = useNameWithLeft()
  return <Foreign text={withLeft(name, who) || otherwise} />
}
