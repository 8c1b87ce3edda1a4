import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relyingPartyOf } from './relying-party.ts'

test('passkeys are for named hosts over https, and for the machine itself', () => {
  const given = (url: string) => relyingPartyOf({ publicUrl: url, givenUrl: url })
  assert.deepEqual(given('https://gatehouse.example.com'), {
    id: 'gatehouse.example.com',
    origin: 'https://gatehouse.example.com',
  })
  assert.deepEqual(given('http://localhost:8080'), { id: 'localhost', origin: 'http://localhost:8080' })
  for (const url of ['https://192.0.2.7', 'https://[2001:db8::1]:8443', 'http://127.0.0.1:8080']) {
    assert.match((given(url) as { why: string }).why, /host name/, url)
  }
  assert.match((given('http://gatehouse.example.com') as { why: string }).why, /https/)
})

test('where nobody said an address, that of this machine is called localhost', () => {
  for (const publicUrl of ['http://127.0.0.1:8080', 'http://[::1]:8080']) {
    const party = relyingPartyOf({ publicUrl, givenUrl: undefined })
    assert.deepEqual(party, { id: 'localhost', origin: 'http://localhost:8080' })
  }
})
