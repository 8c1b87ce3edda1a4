import { type FormEvent, useState } from 'react'
import { call } from '../api/call.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { useSessionState } from '../api/session.ts'
import { type Appearance, chooseAppearance, storedAppearance } from '../app/appearance.ts'
import { leave } from '../app/frame/top-bar.tsx'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Empty, ErrorBox, useCountdown } from '../ui/states.tsx'
import { Exact } from '../ui/text/marks.tsx'
import { FactorsCard } from './factors.tsx'
import { ProgramsCard } from './programs.tsx'
import { SessionsCard } from './sessions.tsx'

export default function MePage() {
  const session = useSessionState().session!
  return (
    <Page narrow>
      <PageHead title="Profile and appearance" about={`${session.person.name} · ${session.person.email}`}>
        <Button onClick={() => void leave()}>Sign out</Button>
      </PageHead>
      <AppearanceCard />
      <Deployments />
      <SessionCard />
      <SessionsCard />
      <ProgramsCard />
      <FactorsCard />
      <PasswordCard />
    </Page>
  )
}

type Choice<K extends keyof Appearance> = { name: K; title: string; about: string; values: [Appearance[K], string][] }
const choices = [
  {
    name: 'theme',
    title: 'Colours',
    about: 'Follows the system unless you choose.',
    values: [
      ['system', 'As the system'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ],
  } satisfies Choice<'theme'>,
  {
    name: 'density',
    title: 'Rows of lists',
    about: 'How close they stand together.',
    values: [
      ['compact', 'Compact'],
      ['normal', 'Normal'],
      ['roomy', 'Roomy'],
    ],
  } satisfies Choice<'density'>,
  {
    name: 'keys',
    title: 'Single-letter shortcuts',
    about:
      'Switch them off if you use speech input, or press letters by accident. Ctrl K and the arrow keys go on working.',
    values: [
      ['on', 'On'],
      ['off', 'Off'],
    ],
  } satisfies Choice<'keys'>,
  {
    name: 'rail',
    title: 'Navigation',
    about: 'With names, or icons only.',
    values: [
      ['wide', 'Wide'],
      ['narrow', 'Narrow'],
    ],
  } satisfies Choice<'rail'>,
] as const

function AppearanceCard() {
  const [appearance, setAppearance] = useState(storedAppearance)
  return (
    <Card title="Appearance" aside="kept on the server; the navigation only here">
      {choices.map(({ name, title, about, values }) => (
        <fieldset key={name} className="choice-row">
          <legend className="legend">{title}</legend>
          <p className="muted small">{about}</p>
          <div className="row">
            {values.map(([value, text]) => (
              <label key={value} className="check">
                <input
                  type="radio"
                  name={name}
                  checked={appearance[name] === value}
                  onChange={() => setAppearance(chooseAppearance({ [name]: value }))}
                />
                <span>{text}</span>
              </label>
            ))}
          </div>
        </fieldset>
      ))}
    </Card>
  )
}

function Deployments() {
  const { deployments } = useSessionState().session!
  return (
    <Card title="Deployments and tokens">
      {deployments.length === 0 ? (
        <Empty title="You are in no deployment">
          <p>An owner or admin can invite you.</p>
        </Empty>
      ) : (
        <Table
          label="Your deployments"
          rows={deployments}
          keyOf={(row) => row.id}
          columns={[
            { label: 'Deployment', cell: (row) => <Link to={`/d/${row.slug}`}>{row.name}</Link> },
            { label: 'Role', cell: (row) => row.role },
            {
              label: 'Tokens',
              cell: (row) =>
                row.permissions.includes('tokens:read') && (
                  <Link to={`/d/${row.slug}/settings/tokens`} aria-label={`Your tokens in ${row.name}`}>
                    Your tokens
                  </Link>
                ),
            },
          ]}
        />
      )}
    </Card>
  )
}

function SessionCard() {
  const session = useSessionState().session as
    | { session?: { expiresAt: string; idleExpiresAt: string } | null }
    | undefined
  const own = session?.session
  return (
    <Card title="This session">
      {own && (
        <dl className="facts">
          <dt>Ends unless used</dt>
          <dd>
            <Exact at={own.idleExpiresAt} />
          </dd>
          <dt>Ends at the latest</dt>
          <dd>
            <Exact at={own.expiresAt} />
          </dd>
        </dl>
      )}
    </Card>
  )
}

function PasswordCard() {
  const { email } = useSessionState().session!.person
  const [problem, setProblem] = useState<Problem>()
  const [different, setDifferent] = useState(false)
  const [busy, setBusy] = useState(false)
  const wait = useCountdown(problem?.retryAfter ?? 0, problem)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const text = (name: string) => String(form.get(name))
    setDifferent(text('next') !== text('again'))
    if (text('next') !== text('again')) return
    setBusy(true)
    setProblem(undefined)
    try {
      await call('changePassword', { body: { current: text('current'), next: text('next') } })
      element.reset()
      say('The password is changed. All other sessions have ended.', 'no undo')
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card title="Password">
      <form className="form" onSubmit={(event) => void submit(event)}>
        <input type="email" name="email" autoComplete="username" hidden readOnly value={email} />
        <Input label="Password now" name="current" type="password" autoComplete="current-password" required />
        <div className="pair">
          <Input
            label="New password"
            name="next"
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
            maxLength={200}
            hint="At least 12 characters; common ones are refused."
            wrong={problem?.about('/next')}
          />
          <Input
            label="New password again"
            name="again"
            type="password"
            autoComplete="new-password"
            required
            wrong={different ? 'These two are not the same.' : undefined}
          />
        </div>
        {problem && <ErrorBox problem={problem} />}
        <div className="row">
          <Button type="submit" look="primary" why={busy ? 'Being changed' : wait > 0 ? `Wait ${wait} s.` : undefined}>
            {wait > 0 ? `Change the password (in ${wait} s)` : 'Change the password'}
          </Button>
        </div>
      </form>
    </Card>
  )
}
