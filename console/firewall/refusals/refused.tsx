import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../../api/ask.ts'
import type { Answer, Body } from '../../api/contracts.ts'
import { firstOf, formatSearch } from '../../app/address/address.ts'
import { usePlace } from '../../app/address/location.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Textarea } from '../../ui/forms/field.tsx'
import { Link } from '../../ui/link.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, ErrorBox, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { exceptionTone, exceptionWords, type RefusedSubject, readSubject } from '../exceptions/exception-words.ts'
import { ruleWords } from './refusal-filter.ts'

/** The page that a refusal links to: why, what others asked and was decided, and how to get on. */
export function Refused() {
  const { pairs } = usePlace()
  const subject = readSubject(firstOf(pairs, 'ecosystem') ?? '', firstOf(pairs, 'package') ?? '')
  if (!subject) {
    return (
      <Empty title="No package is named">
        <p>Open the address that the refusal shows, whole.</p>
      </Empty>
    )
  }
  return <About subject={subject} key={`${subject.ecosystem} ${subject.name}@${subject.version}`} />
}

function About({ subject }: { subject: RefusedSubject }) {
  const page = useAsk('getRefusedPackage', { query: subject })
  const to = usePathTo()
  const { name, version, ecosystem } = subject
  return (
    <Part of={page} lines={6}>
      {(data) => (
        <>
          <Card title={version === '*' ? `Every version of ${name}` : `${name}@${version}`} aside={ecosystem}>
            <Verdict data={data} />
            {data.contact && (
              <p>
                <Foreign text={data.contact} />
              </p>
            )}
            <p className="small">
              <Link
                to={to(
                  `firewall/blocked${formatSearch([
                    ['package', name],
                    ['version', version],
                    ['ecosystem', ecosystem],
                  ])}`,
                )}
              >
                Its refusals on record
              </Link>
            </p>
          </Card>
          {data.last && <Last last={data.last} />}
          <Asking data={data} subject={subject} />
        </>
      )}
    </Part>
  )
}

type Page = Answer<'getRefusedPackage'>

function Verdict({ data: { verdict } }: { data: Page }) {
  if (!verdict?.refuse) {
    return (
      <p role="status">
        <Tag tone="ok">comes in</Tag> It is not refused to you any more. {verdict && <Foreign text={verdict.reason} />}
      </p>
    )
  }
  return (
    <p role="status">
      <Tag tone={verdict.rule === 'malicious' ? 'bad' : 'warn'}>{ruleWords[verdict.rule] ?? verdict.rule}</Tag>{' '}
      <Foreign text={verdict.reason} />
    </p>
  )
}

function Last({ last }: { last: NonNullable<Page['last']> }) {
  return (
    <Card title="What was decided last">
      <p>
        <Tag tone={exceptionTone[last.state]}>{exceptionWords[last.state]}</Tag> <Ago at={last.decidedAt} />{' '}
        <Foreign text={last.decisionReason} clamp={300} />
      </p>
      {last.endedReason && (
        <p className="muted">
          Ended early: <Foreign text={last.endedReason} clamp={300} />
        </p>
      )}
      {last.state === 'approved' && last.expiresAt && (
        <p className="muted">
          It ends <Ago at={last.expiresAt} />. If it is refused to you all the same, it is for another team.
        </p>
      )}
    </Card>
  )
}

function Asking({ data, subject }: { data: Page; subject: RefusedSubject }) {
  const { why } = useMay('firewall:ask')
  const ask = useChange('askForException', ['getRefusedPackage', 'listExceptions'])
  const [again, setAgain] = useState(false)
  if (!data.verdict?.refuse) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const reason = String(new FormData(event.currentTarget).get('reason')).trim()
    ask.mutate(
      { body: { ...subject, reason } as Body<'askForException'> },
      {
        onSuccess: ({ byMail }) => {
          setAgain(false)
          say(byMail ? 'You get a mail when it is decided.' : 'The decision will be shown here.', 'no undo')
        },
      },
    )
  }
  const waiting = data.askerCount > 0 && `${plural(data.askerCount, 'person waits', 'people wait')} for a decision.`
  return (
    <Card title="Ask for an exception">
      {waiting && <p role="status">{waiting}</p>}
      {!data.mayBeAsked ? (
        <p>
          {data.verdict.rule === 'malicious'
            ? 'It is known to be malicious, and no exception lets that in. If the advisory is wrong, tell an owner or admin: they can allow the package.'
            : 'No exception helps while that is so.'}
        </p>
      ) : data.asked && !again ? (
        <p>
          You have asked. <Button onClick={() => setAgain(true)}>Change what you wrote</Button>
        </p>
      ) : (
        <form className="form" onSubmit={submit}>
          <Textarea
            label="What you need it for"
            name="reason"
            required
            maxLength={500}
            hint="Shown to owners and admins, who decide."
            wrong={ask.error?.about('/reason')}
          />
          {ask.error && <ErrorBox problem={ask.error} />}
          <div className="actions">
            <Button type="submit" look="primary" why={why}>
              Ask
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}
