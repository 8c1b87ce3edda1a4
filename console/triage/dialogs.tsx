import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { plural } from '../ui/text/words.ts'
import { IgnoreDialog } from './ignore-dialog.tsx'
import type { Kind } from './kinds.ts'
import type { Deciding } from './use-deciding.ts'
import { actionOn } from './words.ts'

/** What deciding asks before it does something. Decisions about issues keep no note. */
export function DecisionDialogs({ deciding: { ignoring, asking }, kind }: { deciding: Deciding; kind: Kind }) {
  return (
    <>
      {ignoring && <IgnoreDialog what={kind} noteless={kind === 'issue'} {...ignoring} />}
      {asking && <GroupDialog asking={asking} what={kind} />}
    </>
  )
}

function GroupDialog({ asking, what }: { asking: NonNullable<Deciding['asking']>; what: string }) {
  const action = actionOn(asking.triageState, asking.count, what)
  const run = () => {
    void asking.run()
    asking.onClose()
  }
  return (
    <Dialog title={action} onClose={asking.onClose}>
      <p>The whole group is decided at once: {plural(asking.count, what)}, also those that are not shown.</p>
      <div className="actions">
        <Button onClick={asking.onClose}>Cancel</Button>
        <Button look="primary" onClick={run}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
