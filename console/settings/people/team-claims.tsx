import { useState } from 'react'
import type { TeamClaims } from '../../../src/capabilities/teams/claims/claim-contract.ts'
import { useAsk, useChange } from '../../api/ask.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Textarea } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { touched } from './team-content.tsx'

/** The names of repositories that are the team's, also of those that come later. */
export function Claims({ teamId, why }: { teamId: number; why: string | undefined }) {
  const asked = useAsk('getTeamClaims', { params: { teamId } })
  const [open, setOpen] = useState(false)
  return (
    <Card
      title="Claimed names"
      aside={
        <Button why={why} onClick={() => setOpen(true)}>
          Change names
        </Button>
      }
    >
      <Part of={asked}>
        {(claims) => (
          <>
            {claims.patterns.length === 0 ? (
              <p className="muted">
                None. With a pattern like payments/* new repositories of such a name join the team.
              </p>
            ) : (
              <ul>
                {claims.patterns.map((pattern) => (
                  <li key={pattern} className="mono">
                    <Foreign text={pattern} />
                  </li>
                ))}
              </ul>
            )}
            <p className="muted small">
              {claims.membersCreate
                ? 'Members of the team may bring new repositories of these names by uploading a scan.'
                : 'Members of the team do not bring new repositories.'}
            </p>
            {open && <ClaimsDialog teamId={teamId} claims={claims} onClose={() => setOpen(false)} />}
          </>
        )}
      </Part>
    </Card>
  )
}

function ClaimsDialog({ teamId, claims, onClose }: { teamId: number; claims: TeamClaims; onClose: () => void }) {
  const update = useChange('setTeamClaims', ['getTeamClaims', ...touched])
  return (
    <FormDialog
      title="Claimed names"
      action="Save"
      onClose={onClose}
      run={async (form) => {
        const lines = form.text('patterns').split('\n')
        const patterns = [...new Set(lines.map((line) => line.trim()).filter(Boolean))]
        await update.mutateAsync({ params: { teamId }, body: { patterns, membersCreate: form.has('create') } })
        say('Saved.', 'no undo')
      }}
    >
      {(about) => (
        <>
          <Textarea
            label="Names of repositories, one pattern a line"
            name="patterns"
            rows={6}
            defaultValue={claims.patterns.join('\n')}
            hint="* stands for any characters but a slash, ** for any. Repositories that are only here by a pattern you take out leave the team."
            wrong={about('/patterns') ?? about('/patterns/0')}
            autoFocus
          />
          <Check
            name="create"
            label="Members may bring new repositories of these names by uploading a scan"
            defaultChecked={claims.membersCreate}
          />
        </>
      )}
    </FormDialog>
  )
}
