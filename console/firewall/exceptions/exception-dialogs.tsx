import { useState } from 'react'
import type { FirewallException } from '../../../src/capabilities/firewall/exceptions/exception-contract.ts'
import { useAllTeams, useAsk, useChange } from '../../api/ask.ts'
import type { Answer, Body } from '../../api/contracts.ts'
import { PersonName } from '../../app/former-people.tsx'
import { Input, Select, Textarea } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'

const touches = ['listExceptions', 'getRefusedPackage', 'getAttention', 'getVerdict'] as const

type DecideProps = { exception: FirewallException; decision: 'approve' | 'reject'; onClose: () => void }

export function DecideException({ exception, decision, onClose }: DecideProps) {
  const decide = useChange('decideException', touches)
  const { id, name, version } = exception
  const approve = decision === 'approve'
  const what = version === '*' ? name : `${name}@${version}`
  return (
    <FormDialog
      title={approve ? `Approve ${what}` : `Reject ${what}`}
      action={approve ? 'Approve' : 'Reject'}
      wide={approve}
      onClose={onClose}
      run={async ({ text }) => {
        const team = Number(text('team'))
        const granted = approve && {
          versions: versionsOf(text('reach'), text('range'), version),
          teamId: team > 0 ? team : null,
          ...(text('until') && { expiresAt: new Date(text('until')).toISOString() }),
        }
        const body = { decision, reason: text('reason'), ...granted } as Body<'decideException'>
        await decide.mutateAsync({ params: { exceptionId: id }, body })
        say(approve ? `${what} comes in, within a second.` : `${what} stays refused.`, 'no undo')
      }}
    >
      {(about) => (
        <>
          {approve && <Evidence id={id} />}
          {approve && <Scope version={version} about={about} />}
          <Textarea
            label="Why"
            name="reason"
            required
            maxLength={500}
            hint={`Told to ${plural(exception.askerCount, 'person', 'people')} who asked.`}
            wrong={about('/reason')}
          />
        </>
      )}
    </FormDialog>
  )
}

function versionsOf(reach: string, range: string, asked: string): string {
  if (reach === 'range') return range
  return reach === 'package' || asked === '*' ? '' : asked
}

type ScopeProps = { version: string; about: (pointer: string) => string | undefined }

/** For what, for whom, until when. */
function Scope({ version, about }: ScopeProps) {
  const { teams } = useAllTeams()
  const [reach, setReach] = useState(version === '*' ? 'package' : 'version')
  const reaches = [
    ...(version === '*' ? [] : [{ value: 'version', label: `${version} alone` }]),
    { value: 'range', label: 'A range of versions' },
    { value: 'package', label: 'Every version' },
  ]
  return (
    <>
      <div className="pair">
        <Select
          label="Versions"
          name="reach"
          choices={reaches}
          value={reach}
          onChange={(event) => setReach(event.target.value)}
          wrong={reach === 'range' ? undefined : about('/versions')}
        />
        {reach === 'range' && (
          <Input
            label="Range"
            name="range"
            required
            maxLength={200}
            placeholder=">=1.0.0 <2.0.0"
            wrong={about('/versions')}
          />
        )}
      </div>
      <div className="pair">
        <Select
          label="For"
          name="team"
          choices={[
            { value: '0', label: 'Everybody' },
            ...teams.map((team) => ({ value: String(team.id), label: `Team ${team.name}, with the teams below it` })),
          ]}
          wrong={about('/teamId')}
        />
        <Input
          label="Until"
          name="until"
          type="datetime-local"
          required
          hint="At most a year ahead."
          wrong={about('/expiresAt')}
        />
      </div>
    </>
  )
}

/** What speaks for and against it. */
function Evidence({ id }: { id: number }) {
  const asked = useAsk('getExceptionEvidence', { params: { exceptionId: id } })
  return (
    <section aria-label="What speaks for and against it" className="stack">
      <Part of={asked} lines={4}>
        {(data) => (
          <>
            {data.verdict && (
              <p>
                <Tag tone={data.verdict.refuse ? 'warn' : 'ok'}>{data.verdict.refuse ? 'refused' : 'comes in'}</Tag>{' '}
                <Foreign text={data.verdict.reason} clamp={300} />
              </p>
            )}
            <Vulnerabilities of={data} />
            <Users of={data} />
          </>
        )}
      </Part>
    </section>
  )
}

type Found = Answer<'getExceptionEvidence'>

function Vulnerabilities({ of: { vulnerabilities } }: { of: Found }) {
  if (vulnerabilities.length === 0) return <p className="small">No vulnerability of this version is known.</p>
  return (
    <ul className="plain small">
      {vulnerabilities.slice(0, 10).map((each) => (
        <li key={each.id}>
          <Foreign text={each.id} mono /> {each.severity.replace('SEVERITY_', '').toLowerCase()}
          {each.exploited ? ', known to be exploited' : ''}: <Foreign text={each.title} clamp={160} />
        </li>
      ))}
    </ul>
  )
}

function Users({ of: { repositoryCount, repositories, refusals } }: { of: Found }) {
  const names = repositories.slice(0, 10).map(({ name, versions }) => `${name} (${versions.slice(0, 3).join(', ')})`)
  return (
    <>
      <p className="small">
        {repositoryCount === 0 ? (
          'No repository has any version of it.'
        ) : (
          <>
            {plural(repositoryCount, 'repository has', 'repositories have')} a version of it:{' '}
            <Foreign text={names.join(', ')} clamp={400} />
          </>
        )}
      </p>
      {refusals.slice(0, 5).map((each) => (
        <p className="small muted" key={each.personId}>
          <PersonName name={each.personName} who={each.personId} otherwise={`person ${each.personId}`} /> was refused it{' '}
          {plural(each.count, 'time')} in 30 days, last <Ago at={each.lastAt} />.
        </p>
      ))}
    </>
  )
}

export function EndException({ exception, onClose }: { exception: FirewallException; onClose: () => void }) {
  const end = useChange('endException', touches)
  const { id, name, version } = exception
  return (
    <FormDialog
      title={`End the exception for ${name}@${version}`}
      action="End it"
      onClose={onClose}
      run={async ({ text }) => {
        await end.mutateAsync({ params: { exceptionId: id }, body: { reason: text('reason') } })
        say(`${name}@${version} is refused again, within a second.`, 'no undo')
      }}
    >
      {(about) => (
        <>
          <p>Builds that install it will fail from now on. It stays on record.</p>
          <Textarea
            label="Why"
            name="reason"
            required
            maxLength={500}
            hint="Told to everybody who asked."
            wrong={about('/reason')}
          />
        </>
      )}
    </FormDialog>
  )
}
