import type { OsvRecord } from './record.ts'

// Embedded malicious code, and its children: Trojan horse, non-replicating, replicating, trapdoor, spyware ...
const malice = new Set(['CWE-506', 'CWE-507', 'CWE-508', 'CWE-509', 'CWE-510', 'CWE-511', 'CWE-512'])

/** Databases whose records are about mistakes, unless they say otherwise (OSV schema, "Defined databases"). */
const vulnerabilityDatabases =
  /^(ALBA|ALEA|ALSA|ALPINE|ASB-A|BELL|BIT|CGA|CLEANSTART|CURL|CVE|DEBIAN|DHI|DLA|DRUPAL|DSA|DTSA|ECHO|EEF|ELA|FreeBSD|GHSA|GO|GSD|HSEC|JLSEC|KUBE|LBSEC|LSN|MGASA|MINI|OESA|openSUSE|OSV|PHSA|PSF|PUB|PYSEC|RHBA|RHEA|RHSA|RLSA|ROOT|RSEC|RUSTSEC|RXSA|SUSE|UBUNTU|USN|V8)-/

/**
 * Whether the package itself is the attack. Exports of OSV mix both kinds, and to refuse every package that ever had a
 * vulnerability would refuse nearly all; a record of a database that we do not know is taken at its feed's word.
 */
export function isMalicious(record: OsvRecord): boolean {
  return saysMalicious(record) || !vulnerabilityDatabases.test(record.id)
}

/** Whether the record itself says that the package is the attack. */
export function saysMalicious({ id, aliases, weaknesses, summary }: OsvRecord): boolean {
  if ([id, ...aliases].some((each) => each.startsWith('MAL-'))) return true
  if (weaknesses.some((each) => malice.has(each))) return true
  return /^(malicious (code|package)|malware) in\b/i.test(summary)
}
