/**
 * Text of a scan as a code span of Markdown (CommonMark 0.31 §6.1): whatever it says, it is shown and does nothing. In a code
 * span nobody is mentioned, nothing is a link, HTML, a reference, an image or a command.
 */
export function quoted(text: string, most: number): string {
  const line = cut(plain(text), most)
  if (line === '') return '`-`'
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  // A space on either side is taken away again; without it a backtick at an end would belong to the fence.
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}

/** One line, without what is not seen or turns text around. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu, '')
    .trim()
}

function cut(text: string, most: number): string {
  const characters = [...text.slice(0, 4 * most)]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text
}
