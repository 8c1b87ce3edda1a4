import { useState } from 'react'
import type { Token } from '../../../src/capabilities/tokens/contract.ts'
import { useChange } from '../../api/ask.ts'
import type { OperationId } from '../../api/contracts.ts'
import { Button } from '../../ui/button.tsx'
import type { TableColumn } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { tokenState } from './scopes.ts'

const tones = { active: 'ok', 'expires soon': 'warn', expired: undefined, revoked: undefined } as const

type Columns = {
  now: number
  /** Why the person may not revoke them. */
  why: string | undefined
  /** What else is said of each, after its name. */
  more: readonly TableColumn<Token>[]
  onRevoke: (token: Token) => void
}

export function tokenColumns({ now, why, more, onRevoke }: Columns): TableColumn<Token>[] {
  return [
    {
      label: 'Name',
      cell: (token) => (
        <>
          <Foreign text={token.name} />
          <div className="muted small mono">{token.hint}</div>
        </>
      ),
    },
    ...more,
    {
      label: 'State',
      cell: (token) => {
        const state = tokenState(token, now)
        return <Tag tone={tones[state]}>{state}</Tag>
      },
    },
    { label: 'Expires', cell: (token) => <Ago at={token.expiresAt} /> },
    { label: 'Last used', cell: (token) => <Ago at={token.lastUsedAt} /> },
    {
      label: 'Actions',
      quiet: true,
      end: true,
      cell: (token) =>
        !token.revokedAt && (
          <Button look="danger" why={why} aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        ),
    },
  ]
}

/** Revokes a token after asking; `touches` names the lists that it is in. */
export function useRevoking(touches: readonly OperationId[]) {
  const [token, setToken] = useState<Token>()
  const revoke = useChange('revokeToken', touches)
  const dialog = token && (
    <Confirm
      title={`Revoke ${token.name}`}
      action={`Revoke token ${token.name}`}
      onClose={() => setToken(undefined)}
      run={() =>
        revoke.mutateAsync({ params: { tokenId: token.id } }).then(() => say(`${token.name} is revoked.`, 'no undo'))
      }
    >
      <p>
        Whatever uses <code>{token.hint}</code> is refused within a second, and so are the tokens that were made with
        it. This cannot be undone. Last used: <Ago at={token.lastUsedAt} />.
      </p>
    </Confirm>
  )
  return { ask: setToken, dialog }
}
