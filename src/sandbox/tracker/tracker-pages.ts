import type { SandboxAnswer } from '../local-server.ts'
import { lineForm, sandboxPage, shown } from '../sandbox-page.ts'
import { statusName, type TrackerIssue, type TrackerTransition } from './tracker-world.ts'

const title = 'Tracker of the sandbox'
const askForToken = { name: 'email', label: 'API token for the account with the e-mail', verb: 'Make a token' }

/** Every ticket, and where somebody makes an API token, as in their profile. */
export function boardPage(issues: readonly TrackerIssue[], said = ''): SandboxAnswer {
  const items = issues.map(({ key, statusId, fields }) => {
    return `<li><a href="/browse/${shown(key)}">${shown(key)}</a> ${shown(fields.summary)} (${statusName(statusId)})</li>`
  })
  const list = items.length > 0 ? `<ul>${items.join('\n')}</ul>` : '<p>There is no ticket.</p>'
  return sandboxPage(title, `<p role="status">${said}</p>${lineForm('/tokens', askForToken)}<h2>Tickets</h2>${list}`)
}

export function tokenPage(issues: readonly TrackerIssue[], email: string, token: string): SandboxAnswer {
  return boardPage(issues, `The API token of ${shown(email)}: <code>${shown(token)}</code>`)
}

/** A ticket, and the ways on from its status. */
export function issuePage(issue: TrackerIssue, offered: readonly TrackerTransition[]): SandboxAnswer {
  const { key, statusId, fields, labels, remoteLinks } = issue
  const buttons = offered.map(({ id, name }) => `<button name="transition" value="${id}">${shown(name)}</button>`)
  const links = remoteLinks.map((link) => `<li><a href="${shown(link.url)}">${shown(link.title)}</a></li>`)
  return sandboxPage(
    `${key}: ${fields.summary}`,
    `<p>Status: <strong role="status">${statusName(statusId)}</strong>. Labels: ${shown(labels.join(', ') || 'none')}</p>
<form method="post" action="/browse/${shown(key)}"><p>${buttons.join(' ')}</p></form>
<ul>${links.join('')}</ul><p><a href="/">All tickets</a></p>`,
  )
}
