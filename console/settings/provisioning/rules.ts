import type { ProvisioningRule } from '../../../src/capabilities/provisioning/contract.ts'

type NamedTeam = { id: string | number; name: string }

const roles = ['readonly', 'member', 'admin'] as const

/** One a line: `Group = role`, `Group = team Name`, or both with a comma between. The last equals sign counts. */
export function writeRules(rules: readonly ProvisioningRule[], teams: readonly NamedTeam[]): string {
  return rules
    .map(({ group, role, teamId }) => {
      const name = teams.find(({ id }) => Number(id) === teamId)?.name ?? teamId
      const gives = [role, teamId !== null && `team ${name}`].filter(Boolean)
      return `${group} = ${gives.join(', ')}`
    })
    .join('\n')
}

export function readRules(text: string, teams: readonly NamedTeam[]): ProvisioningRule[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter(Boolean).map((line) => readRule(line, teams))
}

function readRule(line: string, teams: readonly NamedTeam[]): ProvisioningRule {
  const at = line.lastIndexOf('=')
  const group = line.slice(0, Math.max(0, at)).trim()
  if (group === '') throw new Error(`Write "Group = role" or "Group = team Name", not "${line}".`)
  const [first = '', ...more] = line.slice(at + 1).split(',')
  const role = roles.find((each) => each === first.trim()) ?? null
  const rest = (role === null ? [first, ...more] : more).join(',').trim()
  if (role !== null && rest === '') return { group, role, teamId: null }
  const name = /^team\s+(.+)$/i.exec(rest)?.[1]
  if (name === undefined) throw new Error(`"${group}" gives neither a role (${roles.join(', ')}) nor a team.`)
  const team = teams.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (!team) throw new Error(`There is no team "${name}".`)
  return { group, role, teamId: Number(team.id) }
}
