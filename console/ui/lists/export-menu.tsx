import { fetchFile } from '../../api/download.ts'
import { asProblem } from '../../api/problem.ts'
import { useKeys } from '../../app/keyboard/keys.ts'
import { Icon } from '../icons.tsx'
import { Menu } from '../overlays/menu.tsx'
import { say, sayFailure } from '../overlays/toasts.tsx'

const labels = { csv: 'CSV', json: 'JSON', sarif: 'SARIF 2.1.0' }
type Format = keyof typeof labels

type Props<F extends Format> = {
  /** Of the file, to which the day is added. */
  name: string
  /** The usual one first. */
  formats: readonly [F, ...F[]]
  /** Answers where it is fetched from. */
  prepare(format: F): Promise<{ path: string }>
}

/** The filtered list, all of it: the browser writes it to disk as it comes, however much it is. */
export function ExportMenu<F extends Format>({ name, formats, prepare }: Props<F>) {
  async function fetchAs(format: F): Promise<void> {
    say('The export is being made.')
    try {
      const day = new Date().toISOString().slice(0, 10)
      const { path } = await prepare(format)
      fetchFile(path, `${name}-${day}.${format}`)
    } catch (error) {
      sayFailure(`No export: ${asProblem(error).message}`)
    }
  }
  useKeys({ e: () => void fetchAs(formats[0]) })
  const items = formats.map((format, at) => ({
    label: labels[format],
    ...(at === 0 && { key: 'e' }),
    run: () => void fetchAs(format),
  }))
  return (
    <Menu label="Export the filtered list" items={items}>
      <Icon name="down_to" /> Export
    </Menu>
  )
}
