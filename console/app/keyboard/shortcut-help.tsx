import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { groups } from '../routes.ts'

const shortcuts: readonly [group: string, rows: readonly (readonly [keys: string, does: string])[]][] = [
  [
    'Everywhere',
    [
      ['Ctrl K', 'search everything'],
      ['/', 'search on this page'],
      ['?', 'this list'],
      ['z', 'undo the last change'],
      ['Esc', 'close'],
    ],
  ],
  [
    'Lists',
    [
      ['j k ↑ ↓', 'next and previous row'],
      ['PgUp PgDn Home End', 'further'],
      ['Enter', 'open beside the list; Ctrl Enter in another tab'],
      ['→ ←', 'to the links of a row, and back'],
      ['x', 'select; Shift x up to here; Ctrl A all that are loaded'],
      ['y', 'copy the link'],
      ['e', 'export the filtered list'],
    ],
  ],
  [
    'Findings and issues',
    [
      ['r', 'review'],
      ['f', 'fixing'],
      ['u', 'open again'],
      ['i', 'ignore: then 1, 2 or 3 for the reason, and Enter; with a note: n, its text, Ctrl Enter'],
      ['t', 'make a ticket'],
    ],
  ],
]

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const pages = groups.flatMap((group) => group.places).map((place) => [`g ${place.key}`, place.label] as const)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      <div className="shortcuts">
        {[...shortcuts, ['Go to', pages] as const].map(([group, rows]) => (
          <section key={group} className="stack tight">
            <h3>{group}</h3>
            <dl className="facts">
              {rows.map(([keys, does]) => (
                <Shortcut key={keys} keys={keys} does={does} />
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="small muted">Single letters can be switched off under Profile and appearance.</p>
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

function Shortcut({ keys, does }: { keys: string; does: string }) {
  return (
    <>
      <dt className="row tight">
        {keys.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  )
}
