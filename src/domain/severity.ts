/** As the wire writes them, from the least. */
export const severities = [
  'SEVERITY_INFO',
  'SEVERITY_LOW',
  'SEVERITY_MEDIUM',
  'SEVERITY_HIGH',
  'SEVERITY_CRITICAL',
] as const
