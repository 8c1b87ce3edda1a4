import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { formatSearch } from '../../app/address/address.ts'
import { usePlace } from '../../app/address/location.ts'
import { storedAppearance } from '../../app/appearance.ts'
import { useKeys } from '../../app/keyboard/keys.ts'
import { useElementWidth } from '../element-width.ts'
import { Icon } from '../icons.tsx'
import { columnsFor } from './grid-columns.ts'
import { type CurrentRow, moveTo, placeOf, range } from './grid-keys.ts'

export type Column<Row> = {
  id: string
  label: string
  /** A track of a CSS grid. */
  width: string
  /** The track where the list is that of a telephone. */
  narrow?: string
  cell: (row: Row) => ReactNode
  /** The name it is sorted by; not sortable without. */
  sort?: string
  /** Its values are names: sorted from the start of the alphabet at first. */
  isName?: boolean
  end?: boolean
  /** Shown where the list is at least so wide. */
  from?: number
}
export type GridSort = { by: string; direction: 'asc' | 'desc' }

type Props<Row> = {
  label: string
  rows: readonly Row[]
  /** Of all rows, also those that are not here yet. */
  total: number
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  openKey?: string | undefined
  onOpen?: (row: Row) => void
  /** Where a row leads, for whoever wants it in another tab. */
  addressOf?: (row: Row) => string | undefined
  onCurrent?: (row: Row | undefined) => void
  selection?: ReadonlySet<string>
  onSelect?: (keys: ReadonlySet<string>) => void
  sort?: GridSort | undefined
  onSort?: (sort: GridSort) => void
  onMore?: (() => void) | undefined
}

const heights = { compact: 28, normal: 34, roomy: 42 }

/** A list of any length: one tab stop, every row reachable by key, and no more in the page than is in sight. */
export function Grid<Row>(props: Props<Row>) {
  const { rows, total, keyOf, selection, onSelect, onOpen, onMore } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<CurrentRow>({ index: 0 })
  const anchor = useRef(0)
  const width = useElementWidth(scroller)
  const columns = columnsFor(props.columns, width, selection !== undefined)
  const height = heights[storedAppearance().density]
  const at = placeOf(rows, keyOf, current)
  const virtual = useVirtualizer({
    count: Math.max(total, rows.length),
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    scrollMargin: height,
    overscan: 6,
    // Also when it was scrolled away: otherwise the list has no tab stop, and End loses the focus.
    rangeExtractor: (seen) =>
      [...new Set([at, ...defaultRangeExtractor(seen)])]
        .filter((index) => index < Math.max(total, rows.length))
        .sort((a, b) => a - b),
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const { onCurrent } = props
  const currentRow = rows[at]
  // Before anybody can see it: a key that is pressed now is about the row that is marked, not about the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever listens is told of another row, not of another listener
  useLayoutEffect(() => onCurrent?.(currentRow), [currentRow])
  const goTo = (index: number) => {
    const row = rows[index]
    setCurrent({ index, ...(row !== undefined && { key: keyOf(row) }) })
  }
  // It has moved with the rows above it, or has gone: from now on the one that is there is followed.
  const currentKey = currentRow && keyOf(currentRow)
  const isOther = currentKey !== current.key || at !== current.index
  if (current.key !== undefined && currentKey !== undefined && isOther) goTo(at)
  useEffect(() => {
    if (last >= rows.length - 1 && rows.length < total) onMore?.()
  }, [last, rows.length, total, onMore])
  useScrollMemory(scroller, rows.length > 0)

  const focusRow = (index: number) => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    row?.focus({ preventScroll: true })
    virtual.scrollToIndex(index, { align: 'auto' })
  }
  // A row that is decided about leaves the list, and would take the focus with it.
  const holdsFocus = useRef(false)
  useLayoutEffect(() => {
    if (holdsFocus.current && document.activeElement === document.body) focusRow(at)
  })
  const move = (key: string) => {
    const inSight = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 2)
    const to = moveTo(key, at, rows.length, inSight)
    if (to === undefined) return false
    // Drawn and focused before the next key is read: whoever types j and Enter fast opens the row that j led to.
    flushSync(() => goTo(to))
    focusRow(to)
    return true
  }
  const toggle = (index: number, whole: boolean) => {
    const row = rows[index]
    if (!row || !selection || !onSelect) return
    const next = new Set(selection)
    if (whole) for (const key of range(rows, keyOf, anchor.current, index)) next.add(key)
    else if (next.has(keyOf(row))) next.delete(keyOf(row))
    else next.add(keyOf(row))
    anchor.current = index
    onSelect(next)
  }
  const open = (index: number, how: Held) => {
    const row = rows[index]
    if (!row) return
    const address = isElsewhere(how) ? props.addressOf?.(row) : undefined
    if (address === undefined) onOpen?.(row)
    else window.open(address, '_blank', 'noopener')
  }
  // A row is not drawn again because another one was selected, and still has to act on what is selected now.
  const act = useRef({ toggle, open })
  useLayoutEffect(() => {
    act.current = { toggle, open }
  })
  useKeys({
    j: () => move('j'),
    k: () => move('k'),
    ...(selection && {
      x: () => toggle(at, false),
      'Shift+x': () => toggle(at, true),
      'Ctrl+a': () => onSelect?.(new Set(rows.map(keyOf))),
    }),
  })
  const pressed = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    const isInside = target.closest('button, input, a') !== null
    if (event.key === 'Enter' || event.key === ' ') {
      if (isInside) return
      if (event.key === 'Enter') open(at, event)
      else if (selection) toggle(at, event.shiftKey)
      else return
    } else if (event.altKey || event.ctrlKey || event.metaKey) return
    else if (stepAcross(target, event.key)) {
      // The focus is where it leads.
    } else if (event.key === 'j' || event.key === 'k' || !move(event.key)) return
    event.preventDefault()
  }
  // Another order is read from its beginning.
  const sortBy = (next: GridSort) => {
    setCurrent({ index: 0 })
    props.onSort?.(next)
  }
  const template = [selection && '24px', ...columns.map((column) => column.width)].filter(Boolean).join(' ')
  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={total + 1}
      aria-multiselectable={selection ? true : undefined}
      onKeyDown={pressed}
      onFocus={(event) => {
        holdsFocus.current = true
        const focused = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index
        if (focused !== undefined) goTo(Number(focused))
      }}
      onBlur={() => {
        holdsFocus.current = false
      }}
      style={{ '--columns': template, '--row': `${height}px` } as React.CSSProperties}
    >
      <div role="rowgroup" className="grid-head">
        <HeadRow columns={columns} sort={props.sort} onSort={props.onSort && sortBy} pick={pickAll(props)} />
      </div>
      <div role="rowgroup" className="grid-body" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          const key = row ? keyOf(row) : `row-${item.index}`
          return (
            <GridRow
              key={key}
              row={row}
              name={key}
              index={item.index}
              top={item.start - height}
              columns={columns}
              isCurrent={item.index === at}
              isOpen={row !== undefined && key === props.openKey}
              isPicked={selection ? selection.has(key) : undefined}
              layout={template}
              onPick={(shift) => act.current.toggle(item.index, shift)}
              onPress={(event) => {
                if (!isElsewhere(event)) goTo(item.index)
                if (!(event.target as HTMLElement).closest('a, button, input')) act.current.open(item.index, event)
              }}
            />
          )
        })}
      </div>
    </div>
  )
}

type Held = { ctrlKey: boolean; metaKey: boolean; button?: number }
const middle = 1

/** As with any link. */
function isElsewhere({ ctrlKey, metaKey, button }: Held): boolean {
  return ctrlKey || metaKey || button === middle
}

/** From a row to what can be pressed in it, and back: a list has one tab stop, however many links it has. */
function stepAcross(from: HTMLElement, key: string): boolean {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[key]
  const row = from.closest<HTMLElement>('[data-index]')
  if (by === undefined || !row) return false
  const stops = [row, ...row.querySelectorAll<HTMLElement>('a, button')]
  const next = stops[stops.indexOf(from.closest<HTMLElement>('a, button') ?? row) + by]
  next?.focus({ preventScroll: true })
  return next !== undefined
}

function pickAll<Row>({ rows, keyOf, selection, onSelect }: Props<Row>) {
  if (!selection || !onSelect) return undefined
  const whole = rows.length > 0 && rows.every((row) => selection.has(keyOf(row)))
  return { whole, some: selection.size > 0 && !whole, toggle: () => onSelect(new Set(whole ? [] : rows.map(keyOf))) }
}

type HeadProps<Row> = {
  columns: readonly Column<Row>[]
  sort: GridSort | undefined
  onSort: ((sort: GridSort) => void) | undefined
  pick: ReturnType<typeof pickAll>
}

function HeadRow<Row>({ columns, sort, onSort, pick }: HeadProps<Row>) {
  return (
    <div role="row" aria-rowindex={1} className="grid-row" tabIndex={-1}>
      {pick && (
        <span role="columnheader" className="grid-cell pick">
          <input
            type="checkbox"
            aria-label="Select all that are loaded"
            tabIndex={-1}
            checked={pick.whole}
            ref={(box) => {
              if (box) box.indeterminate = pick.some
            }}
            onChange={pick.toggle}
          />
        </span>
      )}
      {columns.map((column) => {
        const sorted = sort && column.sort === sort.by ? sort.direction : undefined
        const next = sorted ? (sorted === 'desc' ? 'asc' : 'desc') : column.isName ? 'asc' : 'desc'
        return (
          <span
            key={column.id}
            role="columnheader"
            data-column={column.id}
            aria-sort={sorted && (sorted === 'asc' ? 'ascending' : 'descending')}
            className={column.end ? 'grid-cell end' : 'grid-cell'}
          >
            {column.sort && onSort ? (
              <button type="button" onClick={() => onSort({ by: column.sort!, direction: next })}>
                {column.label}
                {sorted && <Icon name={sorted === 'asc' ? 'up' : 'down'} size={12} />}
              </button>
            ) : (
              column.label
            )}
          </span>
        )
      })}
    </div>
  )
}

type RowProps<Row> = {
  row: Row | undefined
  name: string
  index: number
  top: number
  columns: readonly Column<Row>[]
  isCurrent: boolean
  isOpen: boolean
  isPicked: boolean | undefined
  layout: string
  onPick: (shift: boolean) => void
  onPress: (event: React.MouseEvent) => void
}

const GridRow = memo(OneRow, (a, b) => {
  const same = ['row', 'top', 'isCurrent', 'isOpen', 'isPicked', 'layout', 'index'] as const
  return same.every((name) => a[name] === b[name])
}) as typeof OneRow

function OneRow<Row>(props: RowProps<Row>) {
  const { row, index, isPicked } = props
  const classes = ['grid-row', props.isCurrent && 'current', props.isOpen && 'open'].filter(Boolean).join(' ')
  return (
    <div
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isPicked}
      tabIndex={props.isCurrent ? 0 : -1}
      className={classes}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={props.onPress}
      onAuxClick={(event) => event.button === middle && props.onPress(event)}
      // Otherwise some systems begin to scroll by it.
      onMouseDown={(event) => event.button === middle && event.preventDefault()}
    >
      {isPicked !== undefined && (
        <span role="gridcell" className="grid-cell pick">
          <input
            type="checkbox"
            aria-label="Select"
            tabIndex={-1}
            checked={isPicked}
            onClick={(event) => props.onPick(event.shiftKey)}
            onChange={() => undefined}
          />
        </span>
      )}
      {props.columns.map((column) => (
        <span key={column.id} role="gridcell" className={column.end ? 'grid-cell end' : 'grid-cell'}>
          {row === undefined ? <span className="skeleton" /> : column.cell(row)}
        </span>
      ))}
    </div>
  )
}

/** Back leads to the same place of the same list. Another filter or order is read from its beginning. */
function useScrollMemory(ref: React.RefObject<HTMLElement | null>, filled: boolean): void {
  const { key, pairs } = usePlace()
  // Which groups are open is not a part of what is asked for.
  const question = formatSearch(pairs.filter(([name]) => name !== 'in'))
  const shown = useRef(question)
  useLayoutEffect(() => {
    const element = ref.current
    if (!filled || !element) return
    const name = `scroll:${key}${question}`
    const stored = Number(sessionStorage.getItem(name))
    if (stored > 0) element.scrollTop = stored
    else if (shown.current !== question) element.scrollTop = 0
    shown.current = question
    const keep = () => sessionStorage.setItem(name, String(Math.round(element.scrollTop)))
    element.addEventListener('scrollend', keep)
    return () => element.removeEventListener('scrollend', keep)
  }, [ref, key, question, filled])
}
