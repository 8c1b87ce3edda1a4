import { useMemo } from 'react'
import { qrCode } from './qr-code.ts'

const margin = 4

/** Dark on light in every theme, as scanners want it, with the margin that belongs to it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const rows = qrCode(text)
    const dark = rows.flatMap((row, y) => row.flatMap((is, x) => (is ? `M${x + margin} ${y + margin}h1v1h-1z` : [])))
    return { path: dark.join(''), size: rows.length + 2 * margin }
  }, [text])
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
