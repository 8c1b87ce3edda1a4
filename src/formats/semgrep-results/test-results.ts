type Given = {
  check_id?: string
  path?: string
  line?: number
  severity?: number
  metadata?: object
  /** The digit that the hash of the match is made of. */
  match?: string
  number?: number
  code?: string
  message?: string
}

/** A finding as `semgrep ci` sends it, for tests. */
export function semgrepFinding(given: Given = {}) {
  const { check_id = 'python.eval', path = 'src/app.py', line = 3, severity = 2, metadata = {} } = given
  const { match = 'e', number = 0, code = 'c', message = 'Do not use eval.' } = given
  return {
    check_id,
    path,
    line,
    column: 1,
    end_line: line,
    end_column: 12,
    message,
    severity,
    index: number,
    commit_date: '2026-11-01T00:00:00',
    syntactic_id: `${number}`.repeat(32),
    match_based_id: `${match.repeat(128)}_${number}`,
    hashes: { start_line_hash: `${code}1`, end_line_hash: `${code}2`, code_hash: `${code}3`, pattern_hash: match },
    metadata,
    is_blocking: false,
  }
}

type Ran = { rules?: string[]; searched?: string[]; skipped?: string[] }

/** What a run found, and what it looked at. */
export function semgrepDocument(findings: object[], ignores: object[] = [], ran: Ran = {}) {
  const { rules = ['python.eval'], searched = ['src/app.py'], skipped = [] } = ran
  return {
    findings,
    ignores,
    token: null,
    searched_paths: searched,
    renamed_paths: [],
    skipped_paths: skipped,
    rule_ids: rules,
    contributions: [],
  }
}
