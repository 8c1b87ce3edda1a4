import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Occasion, Subject } from '../../../domain/trigger-event.ts'
import { automationText, incidentText, newFindingsText, triagedText } from './message-text.ts'

const occasion = { repository: { name: 'shop' }, ref: 'main', pullRequest: 0 } as unknown as Occasion

const texts: Record<string, (subjects: Subject[]) => string> = {
  'new findings': (subjects) => newFindingsText(occasion, subjects),
  'what was triaged': triagedText,
  'an incident': (subjects) => incidentText(occasion, subjects),
  'an automation': (subjects) => automationText('Tell', occasion, subjects, subjects.length),
}

for (const [what, textOf] of Object.entries(texts)) {
  test(`a message about ${what} looks at those it shows, however many there are`, () => {
    let looked = 0
    const subject = {
      severity: 'SEVERITY_HIGH',
      triageState: 'TRIAGE_STATE_OPEN',
      path: 'a.js',
      malicious: true,
      get title() {
        looked++
        return 'A flaw'
      },
    } as unknown as Subject
    const text = textOf(Array.from({ length: 1_000 }, () => subject))
    assert.equal(text.split('\n').length, 12)
    assert.match(text, /… and 990 more$/)
    assert.equal(looked, 10)
  })
}
