import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { go } from '../address/location.ts'
import { usePathTo } from '../deployment.ts'
import { type Hit, usePaletteHits } from './palette-hits.ts'

/** One field that finds pages, packages, vulnerabilities, repositories and findings. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const to = usePathTo()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const [entered, setEntered] = useState(false)
  const { groups, busy, firstIsSure } = usePaletteHits(text.trim())
  const all = groups.flatMap((group) => group.hits)
  const at = Math.min(active, Math.max(0, all.length - 1))
  const choose = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    go(to(hit.path))
  }
  // Who types faster than the server answers still gets the best hit, not the one that happens to be there.
  const mustWait = busy && active === 0 && !firstIsSure
  useEffect(() => {
    if (entered && !mustWait) choose(all[at])
  })
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = (at + step + all.length) % Math.max(1, all.length)
      setActive(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
      setEntered(false)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      setEntered(true)
    }
  }
  return (
    <Dialog title="Search" onClose={onClose} wide>
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={all.length > 0 ? `${id}-${at}` : undefined}
        aria-label="Search packages, vulnerabilities, repositories and pages"
        placeholder="A package, CVE, repository, rule or page"
        value={text}
        onKeyDown={pressed}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
          setEntered(false)
        }}
      />
      <div className="palette-list" role="listbox" id={id} aria-label="Results" aria-busy={busy}>
        {groups.map((group) => (
          <div key={group.label} role="group" aria-label={group.label}>
            <span className="group-name">{group.label}</span>
            {group.hits.map((hit) => {
              const index = all.indexOf(hit)
              return (
                <div
                  key={hit.path}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === at}
                  data-active={index === at}
                  className="option"
                  onClick={() => choose(hit)}
                >
                  <span className="value">{plainly(hit.label)}</span>
                  {hit.aside && <span className="n">{plainly(hit.aside)}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {all.length === 0 && <p className="muted">{busy ? 'Searching' : 'Nothing found.'}</p>}
    </Dialog>
  )
}
