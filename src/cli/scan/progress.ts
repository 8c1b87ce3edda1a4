type Terminal = { isTTY?: boolean; columns?: number; write(text: string): unknown }

export type Progress = { restart(): void; add(bytes: number): void; end(): void }

const barWidth = 30
const silent: Progress = { restart() {}, add() {}, end() {} }

/** A bar that fills as the files are read; nothing where nobody looks. */
export function createProgress(
  totalBytes: number,
  terminal: Terminal,
  env: Readonly<Record<string, string | undefined>>,
): Progress {
  if (!terminal.isTTY || env.CI || env.TERM === 'dumb') return silent
  let done = 0
  let shown = ''

  function show(): void {
    const share = totalBytes === 0 ? 1 : Math.min(1, done / totalBytes)
    const bar = '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░')
    const what = share < 1 ? 'uploading' : 'Gatehouse is reading'
    const line = `${bar} ${Math.floor(share * 100)} %  ${what}`.slice(0, (terminal.columns || 80) - 1)
    if (line === shown) return
    shown = line
    terminal.write(`\r\x1b[K${line}`)
  }

  return {
    restart() {
      done = 0
      show()
    },
    add(bytes) {
      done += bytes
      show()
    },
    end() {
      if (shown) terminal.write('\r\x1b[K')
      shown = ''
    },
  }
}
