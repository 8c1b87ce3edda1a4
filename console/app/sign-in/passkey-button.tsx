import { useState } from 'react'
import { hasPasskeys } from '../../api/passkey.ts'
import { asProblem, type Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'

/** Where the browser has passkeys. The caller shows what goes wrong. */
export function PasskeyButton(props: {
  label: string
  run: () => Promise<void>
  onDone: () => void
  onProblem: (problem: Problem) => void
}) {
  const [busy, setBusy] = useState(false)
  if (!hasPasskeys()) return null
  const go = async () => {
    setBusy(true)
    try {
      await props.run()
      props.onDone()
    } catch (error) {
      props.onProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button why={busy ? 'The browser asks for it' : undefined} onClick={() => void go()}>
      {props.label}
    </Button>
  )
}
