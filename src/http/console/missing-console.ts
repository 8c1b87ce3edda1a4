import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
const mostCharacters = 2_000

/** Where the project lies on the machine is nobody's business, so it is left out of the reason. */
export function missingConsolePage(reason: string | undefined): string {
  const why = reason?.replaceAll(`${root}/`, '').slice(0, mostCharacters) ?? 'It was not part of this start.'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatehouse</title><link rel="stylesheet" href="/docs/style.css"></head><body><main><h1>The web console is not available</h1>
<p>It could not be built when the server started. The API is served all the same: its reference is at <a href="/docs">/docs</a>.</p>
<pre>${escaped(why)}</pre><p>The log of the server has the details. Mend the cause and start the server again.</p></main></body></html>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
