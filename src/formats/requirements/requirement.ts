/** What one logical line of a requirements file asks for. */
export type Requirement =
  /** `certain` where the line can hardly be anything but a requirement, and not just any word. */
  | { kind: 'package'; name: string; version: string; resolved: string; certain: boolean; unresolved: boolean }
  | { kind: 'include' | 'constraint'; file: string }
  | { kind: 'option' | 'local' | 'unnamed' | 'bad' }

const options =
  /^(?:-[if](?:[./~]|[a-z]+:)|(?:-[if]|--(?:index-url|extra-index-url|no-index|find-links|no-binary|only-binary|prefer-binary|require-hashes|pre|trusted-host|use-feature|hash|global-option|config-settings?|build-option|all-releases|only-final))(?:[\s=]|$))/
/** Options of pip before version 10, which old files still have. */
const formerOptions =
  /^--(?:process-dependency-links|allow-(?:external|unverified|insecure|all-external)|(?:no-)?use-wheel|always-unzip|(?:no-)?use-pep517|install-option)(?:[\s=]|$)/
const include = /^(?:-r|--requirement)[\s=]*([^\s=].*)$/s
const editable = /^(?:-e|--editable)[\s=]*([^\s=].*)$/s
const constraint = /^(?:-c|--constraint)[\s=]*([^\s=].*)$/s
const named = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(\[[^[\]]*\])?\s*/
/** pip takes a # behind a version for a part of it, and then finds no such version: people mean a comment. */
const clause = /^(===|==|~=|!=|<=|>=|<|>)\s*([^\s,;()#]+)$/
/** PEP 427, {name}-{version}(-{build})?-{python}-{abi}-{platform}.whl */
const wheel = /^([A-Za-z0-9._]+)-([A-Za-z0-9._+!]+)(?:-\d[\w.]*)?-[\w.]+-[\w.]+-[\w.]+\.whl$/

/** {name}-{version}.tar.gz, in which the version has no hyphen (PEP 625), and the archives that came before it. */
const sourceArchive = /^([A-Za-z0-9][A-Za-z0-9._-]*)-(\d[A-Za-z0-9._+!]*?)\.(?:tar\.(?:gz|bz2|xz)|tgz|zip)$/

export function readRequirement(text: string): Requirement {
  if (text.startsWith('-')) {
    const file = include.exec(text)?.[1]
    if (file !== undefined) return { kind: 'include', file: withoutQuotes(file) }
    const bounds = constraint.exec(text)?.[1]
    if (bounds !== undefined) return { kind: 'constraint', file: withoutQuotes(bounds) }
    const target = editable.exec(text)?.[1]
    if (target !== undefined) return isAddress(target) ? fromAddress('', target) : { kind: 'local' }
    return options.test(text) || formerOptions.test(text) ? { kind: 'option' } : { kind: 'bad' }
  }
  // Options of one requirement (`--hash=...`) follow it, parted by a blank.
  const end = text.search(/\s--?[A-Za-z]/)
  const hasOptions = end !== -1
  const own = withoutQuotes((hasOptions ? text.slice(0, end) : text).trim())
  if (isAddress(own)) return fromAddress('', own)
  if (isLocal(own)) return { kind: 'local' }
  const [matched, name, extras] = named.exec(own) ?? []
  if (matched === undefined || name === undefined) return { kind: 'bad' }
  const rest = own.slice(matched.length)
  if (rest.startsWith('@')) {
    const target = rest.slice(1).trim().split(/\s/, 1)[0]!
    return isAddress(target) || isLocal(target) ? fromAddress(name, target) : { kind: 'bad' }
  }
  return fromSpecifier(name, rest, hasOptions || extras !== undefined)
}

/** PEP 440 specifiers. Only `==` and `===` say which version it is; of a range nobody knows what will be installed. */
function fromSpecifier(name: string, rest: string, evident: boolean): Requirement {
  const marked = rest.search(/[;#]/)
  const written = (marked === -1 ? rest : rest.slice(0, marked)).trim()
  const specifier = written.startsWith('(') && written.endsWith(')') ? written.slice(1, -1).trim() : written
  let version = ''
  let unresolved = false
  for (const part of specifier === '' ? [] : specifier.split(',')) {
    const [, operator, quoted] = clause.exec(part.trim()) ?? []
    if (operator === undefined || quoted === undefined) return { kind: 'bad' }
    const value = withoutQuotes(quoted)
    if (value === '' || /["']/.test(value)) return { kind: 'bad' }
    if (value.includes('$')) unresolved = true
    else if (operator === '===' || (operator === '==' && !value.endsWith('.*'))) version = value
  }
  // `1.0 < 2.0` is a line of many other texts.
  const certain = evident || (/^[A-Za-z]/.test(name) && /^(?:[=~!]=|>=)/.test(specifier))
  return { kind: 'package', name, version: unresolved ? '' : version, resolved: '', certain, unresolved }
}

function fromAddress(name: string, address: string): Requirement {
  const [path = '', fragment = ''] = address.split('#', 2)
  const file = path.split('?', 1)[0]!.split('/').at(-1) ?? ''
  const written = file.replaceAll('%2B', '+')
  const [, fileName = '', fileVersion = ''] = wheel.exec(written) ?? sourceArchive.exec(written) ?? []
  const egg = /(?:^|&)egg=([A-Za-z0-9._-]+)/.exec(fragment)?.[1] ?? ''
  const found = name || egg || fileName
  if (/^file:/i.test(address) || !isAddress(address)) return { kind: 'local' }
  if (found === '') return { kind: 'unnamed' }
  return { kind: 'package', name: found, version: fileVersion, resolved: address, certain: true, unresolved: false }
}

/** Shells and people put versions, names of files and whole requirements in quotes. */
function withoutQuotes(text: string): string {
  const [, , inner] = /^(["'])(.*)\1$/.exec(text) ?? []
  return inner ?? text
}

function isAddress(text: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/|file:|git\+)/.test(text)
}

function isLocal(text: string): boolean {
  return (
    /^(?:\.{1,2}(?:[\\/[]|$)|[\\/]|~[\\/]|[A-Za-z]:[\\/])/.test(text) || /^[^\s;]+\.(?:whl|zip|tar\.gz|tgz)$/.test(text)
  )
}
