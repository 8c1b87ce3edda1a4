import type { Automation } from '../../src/capabilities/automations/automation.ts'
import { useAsk, useChange } from '../api/ask.ts'
import { firstOf } from '../app/address/address.ts'
import { go, goSearch, usePlace } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { matchesText } from '../settings/words.ts'
import { Button } from '../ui/button.tsx'
import { Check } from '../ui/forms/field.tsx'
import { useRepositoryNames } from '../ui/forms/repository-chooser.tsx'
import { SearchField } from '../ui/forms/search-field.tsx'
import { Link } from '../ui/link.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { sentenceOf } from './words.ts'

/** The sentence of an automation, with names instead of ids. */
export function Sentence({ automation }: { automation: Pick<Automation, 'triggerSource' | 'filters' | 'actions'> }) {
  const ids = automation.filters.conditions
    .filter((each) => each.type === 'CONDITION_TYPE_REPOSITORY_ID')
    .flatMap((each) => each.values)
  const names = useRepositoryNames([...new Set(ids)].slice(0, 20))
  return <Foreign text={sentenceOf(automation, (id) => names[id] ?? `repository ${id}`)} clamp={600} />
}

export default function AutomationsPage() {
  const to = usePathTo()
  const { pairs } = usePlace()
  const asked = useAsk('listAutomations')
  const write = useMay('automations:write')
  const update = useChange('updateAutomation', ['listAutomations', 'getAutomation'])
  const words = firstOf(pairs, 'q') ?? ''
  const all = asked.data?.automations ?? []
  const rows = all.filter((each) => matchesText(words, each.name, each.description, sentenceOf(each, String)))
  const turn = ({ id, name }: Automation, active: boolean, undone = false): void =>
    update.mutate(
      { params: { automationId: Number(id) }, body: { active } },
      {
        onSuccess: () =>
          say(
            `${name} is switched ${active ? 'on' : 'off'}.`,
            undone ? undefined : () => turn({ id, name } as Automation, !active, true),
          ),
        onError: (problem) => sayFailure(`Not done: ${problem.message}`),
      },
    )
  return (
    <Page>
      <PageHead title="Automations" about="What Gatehouse does by itself. Each reads as a sentence.">
        {all.length > 5 && <SearchField label="Search automations" name="q" pairs={pairs} />}
        <Button look="primary" why={write.why} onClick={() => go(to('automations/new'))}>
          New automation
        </Button>
      </PageHead>
      <Part of={asked}>
        {() =>
          rows.length === 0 ? (
            all.length > 0 ? (
              <Empty title="No automation matches">
                <Button onClick={() => goSearch([])}>Show all {all.length}</Button>
              </Empty>
            ) : (
              <Empty title="No automations yet">
                <p>
                  For example: when a scan raises findings and the kind is secrets, then block the scan. You can try one
                  on past scans before it does anything.
                </p>
              </Empty>
            )
          ) : (
            <>
              <span className="visually-hidden" role="status">
                {plural(rows.length, 'automation')}
              </span>
              {rows.map((automation) => (
                <Card
                  key={automation.id}
                  title={automation.name}
                  aside={
                    <Check
                      label={automation.active ? 'Switched on' : 'Switched off'}
                      aria-label={`${automation.active ? 'Switched on' : 'Switched off'}: ${automation.name}`}
                      checked={automation.active}
                      disabled={!write.may}
                      title={write.why}
                      onChange={(event) => turn(automation, event.target.checked)}
                    />
                  }
                >
                  <p>
                    <Sentence automation={automation} />
                  </p>
                  {automation.description && (
                    <p className="muted">
                      <Foreign text={automation.description} clamp={300} />
                    </p>
                  )}
                  <div className="row">
                    <Link
                      className="button"
                      to={to(`automations/${automation.id}`)}
                      aria-label={`Open ${automation.name}`}
                    >
                      Open
                    </Link>
                    {write.may && (
                      <>
                        <Link
                          className="button plain"
                          to={to(`automations/${automation.id}/trial`)}
                          aria-label={`Trial of ${automation.name}`}
                        >
                          Trial
                        </Link>
                        <Link
                          className="button plain"
                          to={to(`automations/${automation.id}/runs`)}
                          aria-label={`Runs of ${automation.name}`}
                        >
                          Runs
                        </Link>
                      </>
                    )}
                    <span className="push muted small">
                      changed <Ago at={automation.updatedAt} />
                      {automation.updatedBy && (
                        <>
                          {' by '}
                          <PersonName name={automation.updatedBy} who={{ email: automation.updatedBy }} />
                        </>
                      )}
                    </span>
                  </div>
                </Card>
              ))}
            </>
          )
        }
      </Part>
    </Page>
  )
}
