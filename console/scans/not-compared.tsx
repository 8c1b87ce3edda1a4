import type { Receipt } from '../../src/capabilities/scans/contract.ts'
import { notComparedSentence } from '../repositories/verdict.ts'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'

/** That a pull request was judged without knowing what of it is new. */
export function NotCompared({ receipt: { scan, notCompared, files } }: { receipt: Receipt }) {
  const sentence = notComparedSentence({ baseRef: scan.baseRef, notCompared })
  if (sentence === undefined) return null
  const left = files.reduce((sum, file) => sum + file.findings.undetermined, 0)
  const became = left > 0 ? `: ${plural(left, 'finding was', 'findings were')} not raised` : ''
  return (
    <div className="banner" role="status">
      <strong>
        <Foreign text={sentence} />
      </strong>
      <Foreign
        text={`So nobody can say what of it is new${became}. Scan ${scan.baseRef} first, then scan this again.`}
      />
    </div>
  )
}
