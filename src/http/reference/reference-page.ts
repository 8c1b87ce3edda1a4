import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { faults } from '../../kernel/contract/fault.ts'
import type { Example, Examples } from './examples.ts'
import { type FieldRow, fieldRows, requestTitle } from './field-rows.ts'
import { curlOf } from './samples.ts'

/** The API reference as one page, with nothing from elsewhere. It reads the same without its script, which only searches. */
export function referencePage(contracts: readonly Endpoint[], examples: Examples): string {
  const groups = [...Map.groupBy(contracts, (contract) => contract.tag)]
  const navigation = groups.map(([tag, each]) => `<h2>${text(tag)}</h2><ul>${each.map(link).join('')}</ul>`).join('')
  const sections = groups
    .map(
      ([tag, each]) =>
        `<h2>${text(tag)}</h2>${each.map((contract) => section(contract, examples[contract.id])).join('')}`,
    )
    .join('')
  return page(
    'Gatehouse API',
    `<nav><p class="name">Gatehouse</p><p><a href="/openapi.json">openapi.json</a> · <a href="/docs/errors">Errors</a></p>
<p hidden><label>Search<br><input id="search" type="search" placeholder="press /" autocomplete="off"></label> <span id="found" role="status"></span></p>${navigation}</nav>
<main><h1>Gatehouse API</h1>
<p>HTTP and JSON. Send credentials as <code>Authorization: Bearer &lt;token&gt;</code>. Errors are <a href="/docs/errors">problem documents</a>.
<em>Experimental</em> operations may change or be removed without notice; <em>beta</em> ones may still change; <em>stable</em> ones do not.</p>
${sections}</main>`,
    '<script type="module" src="/docs/search.js"></script>',
  )
}

export function errorsPage(): string {
  const rows = Object.entries(faults).map(
    ([code, { status, title, meaning }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${text(title)}</td><td>${text(meaning)}</td></tr>`,
  )
  return page(
    'Gatehouse errors',
    `<main><p><a href="/docs">Gatehouse API</a></p><h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457) with one of these codes in <code>code</code>.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Title</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></main>`,
  )
}

function link({ id, summary }: Endpoint): string {
  return `<li><a href="#${id}">${text(summary)}</a></li>`
}

const accepts = { none: 'none', token: 'API token', jwt: 'JSON Web Token', both: 'API token or JSON Web Token' }

function section(contract: Endpoint, example: Example | undefined): string {
  const label = contract.deprecated ? 'deprecated' : contract.stability
  return `<section id="${contract.id}"><h3>${text(contract.summary)} <span class="label">${label}</span></h3>
<p><code><b>${contract.method}</b> ${text(contract.path.replace(/:([A-Za-z]+)/g, '{$1}'))}</code></p>
<p>${text(contract.description)}</p>
<p>Credentials: ${accepts[contract.security]}. Permission: <code>${contract.permission}</code>.</p>
${contract.query ? table('Query', fieldRows(contract.query)) : ''}${contract.body ? table(requestTitle(contract), fieldRows(contract.body)) : ''}${table('Response', fieldRows(contract.response))}
${contract.faults.length > 0 ? `<p>Errors: ${contract.faults.map((code) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`).join(', ')}</p>` : ''}${example ? sample(contract, example) : ''}</section>`
}

/** A call that a test made, and what it was answered. */
function sample(contract: Endpoint, example: Example): string {
  const { response } = example
  const answer = typeof response === 'string' ? response : JSON.stringify(response, null, 2)
  return `<details><summary>Example</summary><pre>${text(curlOf(contract, example))}</pre><pre>${text(answer)}</pre></details>`
}

function table(title: string, rows: FieldRow[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map(
    (row) =>
      `<tr><td><code>${text(row.name)}</code></td><td>${text(row.type)}${row.optional ? ', optional' : ''}</td><td>${text(row.description)}</td></tr>`,
  )
  return `<table><caption>${title}</caption><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${lines.join('')}</tbody></table>`
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="/docs/style.css">${head}</head><body>${body}</body></html>`
}

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export const stylesheet = `:root{color-scheme:light dark;--line:light-dark(#d8dde3,#3a4048);--soft:light-dark(#f3f5f7,#20242a);--link:light-dark(#0b57a4,#7db7f5)}
body{margin:0;font:16px/1.55 system-ui,sans-serif;display:flex;max-width:1280px}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.2rem;box-sizing:border-box;min-width:17rem;max-width:17rem;border-right:1px solid var(--line);font-size:.92rem}
nav h2{font-size:.95rem;margin:1.1rem 0 .2rem}nav ul{list-style:none;margin:0;padding:0}nav .name{font-weight:700;font-size:1.15rem;margin:0}
main{padding:1.2rem 2rem;min-width:0;flex:1}a{color:var(--link)}
section{border-top:1px solid var(--line);padding:.6rem 0 1.2rem}
table{border-collapse:collapse;width:100%;margin:.7rem 0;font-size:.92rem}caption{text-align:left;font-weight:600;padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
[hidden]{display:none!important}input{font:inherit;width:100%;box-sizing:border-box;padding:.3rem .5rem}
pre{background:var(--soft);padding:.6rem;border-radius:4px;overflow:auto;font-size:.85rem}summary{cursor:pointer}
code{background:var(--soft);padding:.1rem .3rem;border-radius:4px;overflow-wrap:anywhere}
.label{font-size:.75rem;font-weight:500;border:1px solid var(--line);border-radius:1rem;padding:.1rem .6rem;vertical-align:middle}
@media(max-width:800px){body{display:block}nav{position:static;height:auto;max-width:none;border:0}}
`
