import type { Dependency } from '../../src/capabilities/dependencies/contract.ts'
import { useAsk } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'

/** What brings a dependency in, from the repository's own wish down to it. */
export function Paths({ dependency, onClose }: { dependency: Dependency; onClose: () => void }) {
  const { repositoryId, name, version, lockfilePath, ecosystem } = dependency
  const body = { name, ecosystem, lockfilePath, ...(version && { version }) } as Body<'findDependencyPaths'>
  const asked = useAsk('findDependencyPaths', { params: { repositoryId }, body })
  return (
    <Dialog title={plainly(`What brings in ${name} ${version}`)} onClose={onClose} wide>
      <Part of={asked}>
        {({ paths, truncated }) =>
          paths.length === 0 ? (
            <p className="muted">The file does not say what brings it in.</p>
          ) : (
            <div className="stack">
              {paths.map((path) => (
                <ol key={path.steps.map((step) => `${step.name}@${step.version}`).join(' ')} className="stack tight">
                  {path.steps.map((step, index) => (
                    <li key={`${step.name}@${step.version}`} style={{ paddingInlineStart: `${index * 16}px` }}>
                      {index > 0 && <span aria-hidden="true">└ </span>}
                      <Foreign text={`${step.name}@${step.version}`} mono />
                    </li>
                  ))}
                </ol>
              ))}
              {truncated && <p className="muted">There are more ways.</p>}
            </div>
          )
        }
      </Part>
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
