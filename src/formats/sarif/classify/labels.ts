const labelled =
  /^[ \t]*(package|pkgname|installed version|fixed version|version|type|severity)[ \t]*[:=][ \t]*(\S[^\r\n]{0,200})$/gim

/** The `Name: value` lines that scanners of dependencies write into their messages and help texts; the first of each. */
export function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = Object.create(null)
  for (const [, name, value] of text.matchAll(labelled)) labels[name!.toLowerCase()] ??= value!.trim()
  return labels
}
