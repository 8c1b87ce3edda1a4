import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch } from '../app/address/address.ts'
import { readFilter } from '../app/address/filter.ts'
import { findingFields } from '../findings/filter.ts'
import { stageLink, standingLink } from './links.ts'
import { overviewFilters, reportFilters } from './report-filters.ts'

const now = new Date('2026-06-10T12:00:00.000Z')

test('the overview leaves out archived repositories, in its numbers and in the lists behind them', () => {
  const { filters, period } = overviewFilters([['team', 'shop']], now)
  assert.deepEqual([filters.archived, filters.teams], [false, ['shop']])
  for (const link of [stageLink('allFindings', undefined, period), standingLink(now.toISOString(), period.more)]) {
    const { filter, lost } = readFilter(findingFields, parseSearch(link))
    assert.deepEqual([filter.archived, filter.teams, lost], [false, ['shop'], []])
  }
})

test('an archived repository that is named is shown, and reports have all unless they are asked otherwise', () => {
  assert.equal(overviewFilters([['repo', 'shop/attic']], now).filters.archived, undefined)
  assert.equal(overviewFilters([['archived', 'yes']], now).filters.archived, true)
  assert.equal(reportFilters([], now).filters.archived, undefined)
})
