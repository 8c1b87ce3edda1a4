import { useEffect, useRef, useState } from 'react'
import { firstOf, type Pair, withValues } from '../../app/address/address.ts'
import { goSearch } from '../../app/address/location.ts'

/** Text search of a list, in the address a moment after one stops typing. */
export function SearchField({ label, name, pairs }: { label: string; name: string; pairs: readonly Pair[] }) {
  const given = firstOf(pairs, name) ?? ''
  const [text, setText] = useState(given)
  const field = useRef<HTMLInputElement>(null)
  // What came into the address otherwise, by going back, say, is what is asked for; what one types is not put back for it.
  const asked = useRef(given)
  useEffect(() => {
    if (given === asked.current) return
    asked.current = given
    setText(given)
  }, [given])
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === asked.current) return
    const timer = setTimeout(() => {
      asked.current = wanted
      // Back leads to the list as it was before the search.
      goSearch(withValues(pairs, name, wanted ? [wanted] : []), { replace: given !== '' })
    }, 200)
    return () => clearTimeout(timer)
  }, [text, given, name, pairs])
  return (
    <input
      ref={field}
      type="search"
      className="input list-search"
      aria-label={label}
      placeholder={`${label}  /`}
      maxLength={500}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === 'Escape' && field.current?.blur()}
    />
  )
}
