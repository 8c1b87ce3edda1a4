import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTouched, newsIn, newWords } from './live-names.ts'

const page = (...ids: number[]) => ({ findings: ids.map((id) => ({ id, state: 'open' })), hasMore: false, cursor: '' })

test('what is new is counted against everything that is on screen', () => {
  assert.equal(newsIn([page(5, 4), page(3, 2)], page(5, 4)), undefined)
  assert.equal(newsIn([page(5, 4), page(3, 2)], page(7, 6)), 2)
  assert.equal(newsIn([page(5, 4), page(3, 2)], page(5, 3)), 0)
  assert.equal(
    newsIn([page(5, 4)], {
      ...page(5, 4),
      findings: [
        { id: 5, state: 'fixed' },
        { id: 4, state: 'open' },
      ],
    }),
    0,
  )
})

test('a name touches the operations that read it and no others', () => {
  assert.ok(isTouched('searchFindings', ['findings']) && isTouched('getAttention', ['findings']))
  assert.ok(isTouched('listTeams', ['chat', 'teams']))
  for (const read of ['searchFindings', 'countFindings', 'getAttention', 'listScans', 'getLicenceOverview'])
    assert.ok(isTouched(read, ['repositories']), `${read} changes with a repository that is deleted`)
  for (const read of ['getVerdict', 'listOverrides', 'getPackage', 'searchPackages'])
    assert.ok(isTouched(read, ['firewall']), `${read} changes with what the firewall would answer`)
  assert.ok(!isTouched('listPackageManagerConfigs', ['firewall']))
  assert.ok(!isTouched('listTeams', ['findings']) && !isTouched('searchFindings', ['teams']))
  assert.ok(!isTouched('nothing', ['findings']) && !isTouched('listTeams', ['unheard-of']))
})

test('news has the words of its list', () => {
  assert.equal(newWords('searchFindings', 3), '3 new findings')
  assert.equal(newWords('listScans', 1), '1 new scan')
  assert.equal(newWords('listTeams', 2), '2 new entries')
})
