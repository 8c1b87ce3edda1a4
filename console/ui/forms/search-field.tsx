import { useEffect, useRef, useState } from 'react'
import { firstOf, type Pair, withValues } from '../../app/address/address.ts'
import { goSearch } from '../../app/address/location.ts'

/** Text search of a list, in the address a moment after one stops typing. */
export function SearchField({ label, name, pairs }: { label: string; name: string; pairs: readonly Pair[] }) {
  const given = firstOf(pairs, name) ?? ''
  const [text, setText] = useState(given)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (document.activeElement !== field.current) setText(given)
  }, [given])
  useEffect(() => {
    if (text.trim() === given) return
    const timer = setTimeout(
      () => goSearch(withValues(pairs, name, text.trim() ? [text.trim()] : []), { replace: true }),
      200,
    )
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
