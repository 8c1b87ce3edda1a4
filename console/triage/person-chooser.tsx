import { useAsk } from '../api/ask.ts'
import { useSessionState } from '../api/session.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Chooser } from '../ui/forms/chooser.tsx'

const nobody = 'nobody'

/** One of the people of the deployment, oneself first, or nobody. */
export function PersonChooser({
  label,
  empty,
  chosen,
  onChoose,
}: {
  label: string
  empty: string
  chosen: { id: string; name: string } | undefined
  onChoose: (personId: string | null) => void
}) {
  const { why } = useMay('discussions:write')
  const people = useAsk('listPeople', {}, { enabled: !why, staleTime: 60_000 })
  const me = useSessionState().session?.person.id
  if (why)
    return (
      <Button why={why} aria-label={label}>
        {chosen?.name ?? empty}
      </Button>
    )
  const all = (people.data?.people ?? []).map(({ id, name, email }) => ({
    value: String(id),
    label: id === me ? `${name} (me)` : name === email ? name : `${name} · ${email}`,
  }))
  const ordered = [
    ...all.filter(({ value }) => value === String(me)),
    ...all.filter(({ value }) => value !== String(me)),
  ]
  const options = [...ordered, { value: nobody, label: 'Nobody' }]
  return (
    <Chooser
      label={label}
      empty={empty}
      options={options}
      chosen={chosen ? [chosen.id] : []}
      names={chosen ? { [chosen.id]: chosen.name } : {}}
      busy={people.isFetching}
      onChoose={([id]) => onChoose(id === undefined || id === nobody ? null : id)}
    />
  )
}
