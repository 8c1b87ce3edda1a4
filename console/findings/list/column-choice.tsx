import { useCallback, useState } from 'react'
import type { Finding } from '../../../src/capabilities/findings/finding.ts'
import { Button } from '../../ui/button.tsx'
import { Options } from '../../ui/forms/options.tsx'
import type { Column } from '../../ui/lists/grid.tsx'
import { Popover } from '../../ui/overlays/popover.tsx'
import { usePreferences } from '../../views/preferences.ts'
import { findingColumns } from './columns.tsx'

/** Without it a row says nothing. */
const always = 'finding'
/** What was asked for by name is shown on narrower lists too. */
const narrowest = 640

/** The columns that the person wants; all that fit, where nothing was chosen. */
export function useFindingColumns(): readonly Column<Finding>[] {
  const { preferences } = usePreferences()
  const chosen = preferences?.findingColumns
  if (!chosen) return findingColumns
  return findingColumns
    .filter(({ id }) => id === always || chosen.includes(id))
    .map((column) => (column.from ? { ...column, from: Math.min(column.from, narrowest) } : column))
}

export function ColumnChoice() {
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  const { preferences, choose } = usePreferences()
  const all = findingColumns.map(({ id }) => id)
  const chosen = preferences?.findingColumns ?? all
  const toggle = (id: string) => {
    if (id === always) return
    const next = all.filter((each) => (each === id ? !chosen.includes(id) : chosen.includes(each)))
    void choose({ findingColumns: next })
  }
  return (
    <span ref={setButton} className="wide-only">
      <Button aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(!open)}>
        Columns
      </Button>
      {open && button && (
        <Popover anchor={button.querySelector('button')} onClose={close} label="Columns">
          <Options
            label="Columns"
            options={findingColumns.map(({ id, label }) => ({ value: id, label }))}
            chosen={chosen}
            onToggle={toggle}
          />
        </Popover>
      )}
    </span>
  )
}
