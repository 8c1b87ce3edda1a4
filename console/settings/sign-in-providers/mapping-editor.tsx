import type { GroupMapping } from '../../../src/capabilities/sign-in-providers/contract.ts'
import type { Role } from '../../../src/kernel/access/permission.ts'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/forms/field.tsx'
import { roles } from '../words.ts'

/** One line of the editor: a group with several teams has several. */
export type MappingLine = { key: number; group: string; role: Role | ''; team: string }

let keys = 0

function emptyLine(): MappingLine {
  return { key: keys++, group: '', role: '', team: '' }
}

export function linesOf(mapping: readonly GroupMapping[]): MappingLine[] {
  return mapping.flatMap(({ group, role, teams }) => [
    { ...emptyLine(), group, role: role ?? '', team: String(teams[0] ?? '') },
    ...teams.slice(1).map((team) => ({ ...emptyLine(), group, team: String(team) })),
  ])
}

export function mappingOf(lines: readonly MappingLine[]): GroupMapping[] {
  return lines
    .filter(({ group }) => group.trim() !== '')
    .map(({ group, role, team }) => ({ group: group.trim(), role: role || null, teams: team ? [Number(team)] : [] }))
}

type Props = {
  lines: readonly MappingLine[]
  teams: readonly { id: string; name: string }[]
  onChange: (lines: MappingLine[]) => void
  wrong: string | undefined
}

export function MappingEditor({ lines, teams, onChange, wrong }: Props) {
  const change = (key: number, to: Partial<MappingLine>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...to } : line)))
  return (
    <fieldset className="stack tight">
      <legend className="legend">What groups give</legend>
      <p className="hint">
        The highest role counts. Roles and these teams follow the groups at every sign-in, also when a group is lost.
      </p>
      {lines.map((line, at) => (
        <div className="pair" key={line.key}>
          <Input
            label={`Group ${at + 1}`}
            value={line.group}
            maxLength={300}
            onChange={(event) => change(line.key, { group: event.target.value })}
          />
          <Select
            label={`Role of group ${at + 1}`}
            value={line.role}
            choices={[{ value: '', label: 'No role' }, ...roles]}
            onChange={(event) => change(line.key, { role: event.target.value as Role | '' })}
          />
          <Select
            label={`Team of group ${at + 1}`}
            value={line.team}
            choices={[{ value: '', label: 'No team' }, ...teams.map(({ id, name }) => ({ value: id, label: name }))]}
            onChange={(event) => change(line.key, { team: event.target.value })}
          />
          <Button
            aria-label={`Remove group ${at + 1}`}
            onClick={() => onChange(lines.filter(({ key }) => key !== line.key))}
          >
            Remove
          </Button>
        </div>
      ))}
      {wrong && <span className="wrong small">{wrong}</span>}
      <Button onClick={() => onChange([...lines, emptyLine()])}>Add a group</Button>
    </fieldset>
  )
}
