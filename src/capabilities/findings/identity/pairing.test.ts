import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Steps } from '../../../kernel/threads/steps.ts'
import { type KnownFinding, pairGroup } from './pairing.ts'

/**
 * The matching rules as a table. A finding is written `state context`, with `-` for one that was not there the last time; a
 * result is its context. The answer says for each result which finding it is (by its place, from 0) or `new`; a `!` marks
 * a decision that does not hold any more.
 */
type Rule = [what: string, known: string[], results: string[], is: string[]]

const rules: Rule[] = [
  // Nothing is known of the code.
  ['it moved, or is another in its place: nobody can tell', ['ignored ?'], ['?'], ['0']],
  ['one more: it may be either', ['ignored ?'], ['?', '?'], ['0!', 'new']],
  ['one more, and nobody decided anything', ['open ?'], ['?', '?'], ['0', 'new']],
  ['as many as before', ['ignored ?', 'open ?'], ['?', '?'], ['0', '1']],
  ['one less: the one that shows stays', ['ignored ?', 'open ?'], ['?'], ['1']],
  ['one less, whatever the order', ['open ?', 'ignored ?'], ['?'], ['0']],
  ['one more: all that people decided is open', ['ignored ?', 'reviewing ?'], ['?', '?', '?'], ['0!', '1!', 'new']],
  ['what an automation ignored is not a decision of a person', ['automated ?'], ['?', '?'], ['0', 'new']],
  ['ignored, gone, and there again', ['-ignored ?'], ['?'], ['0!']],
  ['fixed and there again', ['fixed ?'], ['?'], ['0']],
  ['one is there, one that was gone is back', ['ignored ?', 'fixed ?'], ['?', '?'], ['0!', '1']],
  ['one that is gone makes no room for a new one', ['ignored ?', '-ignored ?'], ['?', '?'], ['0!', '1!']],
  // The code is known.
  ['the same code at another place', ['ignored a.x'], ['a.y'], ['0']],
  ['other code in its place', ['ignored a.x'], ['b.x'], ['new']],
  ['other code above it', ['ignored a.x'], ['b.y', 'a.x'], ['new', '0']],
  ['other code above it, and its own surroundings changed', ['ignored a.x'], ['b.y', 'a.z'], ['new', '0']],
  ['swapped', ['ignored a.x', 'open b.y'], ['b.y', 'a.x'], ['1', '0']],
  ['deleted: the other one stays what it is', ['ignored a.x', 'open b.y'], ['b.y'], ['1']],
  ['deleted: the ignored one stays', ['ignored a.x', 'open b.y'], ['a.x'], ['0']],
  ['the same line twice, told apart by what follows', ['ignored a.x'], ['a.y', 'a.x'], ['new', '0']],
  ['the same line twice, in the same surroundings', ['ignored a.x'], ['a.x', 'a.x'], ['0!', 'new']],
  ['ignored, gone, and the same code at the same place again', ['-ignored a.x'], ['a.x'], ['0']],
  ['ignored, gone, and the same line elsewhere', ['-ignored a.x'], ['a.y'], ['0!']],
  // The code is in the fingerprint.
  ['the same code again', ['ignored ='], ['='], ['0']],
  ['the same code, stored before contexts were', ['ignored ?'], ['=x'], ['0']],
  ['the same code twice', ['ignored ='], ['=', '='], ['0!', 'new']],
  ['the same code twice, told apart by what is around', ['ignored =x'], ['=y', '=x'], ['new', '0']],
  ['ignored, gone and back', ['-ignored ='], ['='], ['0']],
  // The code was in the fingerprint, and is apart from it now.
  ['the same surroundings tell the code', ['ignored =x', 'open =y'], ['b.y', 'a.x'], ['1', '0']],
  ['equal ones in equal surroundings', ['ignored =x', 'open =x'], ['a.x', 'a.x'], ['0', '1']],
  ['other code in its place, when that can be told', ['ignored =x'], ['b.y'], ['new']],
  ['gone, and there again', ['-ignored =x'], ['a.x'], ['0']],
  // One side has no code: the first upload with code, or a log that was sent without.
  ['code comes to be known', ['ignored ?', 'open ?'], ['a.x', 'b.y'], ['0', '1']],
  ['code comes to be known, with one more', ['ignored ?'], ['a.x', 'b.y'], ['0!', 'new']],
  ['a log without code in between', ['ignored a.x'], ['?'], ['0']],
  ['a log without code, with one more', ['ignored a.x'], ['?', '?'], ['0!', 'new']],
  [
    'some with code and some without, with one more',
    ['ignored ?', 'ignored ?'],
    ['a.x', '?', '?'],
    ['0!', '1!', 'new'],
  ],
]

const states: Record<string, Pick<KnownFinding, 'state' | 'decided_by'>> = {
  open: { state: 1, decided_by: 0 },
  reviewing: { state: 3, decided_by: 4 },
  ignored: { state: 6, decided_by: 4 },
  automated: { state: 6, decided_by: 3 },
  fixed: { state: 7, decided_by: 0 },
}

function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const contextOf = (written: string) => (written === '?' ? '' : written)

for (const [what, known, results, is] of rules) {
  test(`known ${known.join(', ')}; seen ${results.join(', ')}: ${what}`, () => {
    const rows = known.map((one, at) => {
      const [word, context] = one.split(' ') as [string, string]
      const standing = states[word.replace('-', '')]!
      const place = { id: at, fingerprint: `${'0'.repeat(32)}:${at}`, start_line: at + 1 }
      return { ...place, ...standing, context: contextOf(context), absent: word.startsWith('-') }
    })
    const sightings = results.map((one, at) => ({ context: contextOf(one), line: at + 1 }))
    const { rows: paired, reopened } = atOnce(pairGroup(rows, sightings))
    const told = paired.map((row) => (row ? `${row.id}${reopened.has(row) ? '!' : ''}` : 'new'))
    assert.deepEqual(told, is)
  })
}
