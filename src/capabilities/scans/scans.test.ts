import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openHouse, type TestHouse } from '../../../test/house.ts'
import { packageLock, upload } from './test-upload.ts'

let house: TestHouse
before(async () => {
  house = await openHouse()
})
after(() => house.close())

test('an upload is answered with what was read from it', async () => {
  const files = { 'package-lock.json': packageLock({ lodash: '4.17.21', react: '18.2.0' }) }
  const answer = await upload(house, { repository: 'shop/web', commit: 'abcdef1' }, files)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.createdRepository, true)
  assert.equal(answer.body.scan.dependencyCount, 2)
})
