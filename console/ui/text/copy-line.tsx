import { useEffect, useState } from 'react'
import { Button } from '../button.tsx'
import { Icon } from '../icons.tsx'
import { say, sayFailure } from '../overlays/toasts.tsx'

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} copied.`)
  } catch {
    sayFailure(`${what} could not be copied: the browser does not allow it here.`)
  }
}

/** Something to take away as it stands, for example a command. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <div className="copy-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <Button
        aria-label={`Copy ${label}`}
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setCopied(true),
            () => setCopied(false),
          )
        }
      >
        <Icon name={copied ? 'check' : 'copy'} />
      </Button>
    </div>
  )
}
