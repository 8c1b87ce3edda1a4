import type { SandboxAnswer } from './local-server.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text of others as text. */
export const shown = (text: unknown): string => String(text).replace(/[&<>"']/g, (sign) => entities[sign]!)

/** Where a person does in a browser what somebody does at the real service. */
export function sandboxPage(title: string, content: string): SandboxAnswer {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${shown(title)}</title>`
  const body = `<!doctype html><html lang="en"><head>${head}</head><body><h1>${shown(title)}</h1>\n${content}</body></html>`
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** A form that asks for one line. */
export function lineForm(action: string, { name, label, verb }: { name: string; label: string; verb: string }): string {
  return `<form method="post" action="${action}"><p><label>${shown(label)}
<input name="${name}" required size="40"></label> <button>${shown(verb)}</button></p></form>`
}
