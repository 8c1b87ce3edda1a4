import packageJson from '../package.json' with { type: 'json' }
import { contracts } from '../src/compose/contracts.ts'
import { recordedExamples } from '../src/http/reference/examples.ts'
import { type FieldRow, fieldRows, requestTitle } from '../src/http/reference/field-rows.ts'
import { openApiOf } from '../src/http/reference/openapi.ts'
import { permissions } from '../src/kernel/access/permission.ts'
import type { Endpoint } from '../src/kernel/contract/endpoint.ts'
import { faults } from '../src/kernel/contract/fault.ts'
import { compactJson } from './compact-json.ts'

/** Every document that is made from the contracts, by its path in the project. */
export function documents(): Record<string, string> {
  return {
    'openapi.json': `${compactJson(openApiOf(contracts, packageJson.version, recordedExamples), 3)}\n`,
    'docs/api.md': apiReference(),
    'docs/errors.md': errorReference(),
    'console/api/operations.ts': consoleOperations(),
  }
}

/** All that the console needs of the contracts at run time: where each operation is. */
function consoleOperations(): string {
  const rows = contracts.map(({ id, method, path }) => `  ${id}: ['${method}', '${path}'],\n`)
  const roles = Object.entries(permissions).map(([name, role]) => `  '${name}': '${role}',\n`)
  return `// Made from the contracts by \`npm run generate\`.
export const operations = {\n${rows.join('')}} as const

/** Every permission, and the least role that has it. */
export const leastRole = {\n${roles.join('')}} as const
`
}

const accepts = { none: 'none', token: 'API token', jwt: 'JSON Web Token', both: 'API token or JSON Web Token' }

function apiReference(): string {
  const groups = [...Map.groupBy(contracts, (contract) => contract.tag)]
  const sections = groups.map(([tag, each]) => `## ${tag}\n\n${each.map(section).join('\n')}`)
  const roles = Object.entries(permissions).map(([name, role]) => `| \`${name}\` | ${role} |`)
  return `# API reference

Made from the contracts by \`npm run generate\`; the same as \`/docs\` and \`/openapi.json\` of a running server.

Send credentials as \`Authorization: Bearer <token>\`. Errors are described in [errors.md](errors.md). *Experimental*
operations may change or be removed without notice, *beta* ones may still change, *stable* ones do not.

${sections.join('\n')}
## Permissions

A role has every permission whose least role is not above it; a token's scopes narrow that down.

| permission | least role |
|---|---|
${roles.join('\n')}
`
}

function section(contract: Endpoint): string {
  const path = contract.path.replace(/:([A-Za-z]+)/g, '{$1}')
  const label = contract.deprecated ? `${contract.stability}, deprecated` : contract.stability
  const errors = contract.faults.map((code) => `[\`${code}\`](errors.md)`).join(', ')
  return [
    `### ${contract.summary}\n`,
    `\`${contract.method} ${path}\` (${label})\n`,
    contract.description ? `${contract.description}\n` : '',
    `Credentials: ${accepts[contract.security]}. Permission: \`${contract.permission}\`.${errors ? ` Errors: ${errors}.` : ''}\n`,
    contract.query ? table('Query', fieldRows(contract.query)) : '',
    contract.body ? table(requestTitle(contract), fieldRows(contract.body)) : '',
    table('Response', fieldRows(contract.response)),
  ]
    .filter(Boolean)
    .join('\n')
}

function table(title: string, rows: FieldRow[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map(
    (row) => `| \`${row.name}\` | ${cell(row.type)}${row.optional ? ', optional' : ''} | ${cell(row.description)} |`,
  )
  return `| ${title} | type | |\n|---|---|---|\n${lines.join('\n')}\n`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

function errorReference(): string {
  const rows = Object.entries(faults).map(
    ([code, { status, title, meaning }]) => `| \`${code}\` | ${status} | ${title} | ${meaning} |`,
  )
  return `# Errors

Made from the table of faults by \`npm run generate\`.

Every error is \`application/problem+json\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\`, \`code\` (stable,
one of those below), \`requestId\` (also in the \`X-Request-Id\` header and in the log) and, where a request does not fit its
contract, \`errors\`: a JSON pointer and a sentence for each fault, all of them at once.

| code | status | title | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}
